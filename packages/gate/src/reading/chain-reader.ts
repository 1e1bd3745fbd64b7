import type { ChainReader } from '../facilitator.ts'
import { openChain, readAllowance, readBalance, readReceipt } from './chain.ts'
import type { ChainAccess } from './chain-access.ts'
import { createCodeCache } from './code-cache.ts'
import { findSettlement } from './find-settlement.ts'

/**
 * Reads about payments from any RPC of the chain; no request is sent before the first read.
 * @throws TypeError for an RPC URL that is not http or https.
 */
export function createChainReader(access: ChainAccess): ChainReader {
  const chain = openChain(access)
  const codes = createCodeCache(chain)
  return {
    balanceOf: (payer, signal) => readBalance(chain, payer, signal),
    allowanceOf: (payer, signal) => readAllowance(chain, payer, signal),
    hasCode: (payer, signal) => codes.hasCode(payer, signal),
    hasReverted: async (transaction, signal) =>
      (await readReceipt(chain, transaction, signal))?.status === '0x0',
    findSettlement: (payment, signal) => findSettlement(chain, payment, { signal }),
  }
}
