import { randomUUID } from 'node:crypto'
import { createKeySigner } from '../../chain/key-signer.ts'
import { startTicker } from '../../flow/ticker.ts'
import type { RunningFacilitator } from '../facilitator.ts'
import { openChain } from './chain/chain.ts'
import { createCodeCache } from './chain/code-cache.ts'
import { createFeeSource } from './chain/fees.ts'
import { createGasBalance } from './chain/gas-balance.ts'
import type { InProcessOptions } from './options.ts'
import { createGasLimits } from './orders/gas-limits.ts'
import { createSettlementDesk } from './orders/settlement-desk.ts'
import { repairNonces } from './sending/repair-nonces.ts'
import { openWallet, type Wallet, WrongChain } from './sending/wallet.ts'
import { verifyPayment } from './verify-payment.ts'

const DEFAULTS = {
  settleTimeoutMs: 30_000,
  // Three blocks of Base: by then a transaction with a sufficient fee is mined.
  bumpAfterMs: 6_000,
  maxFeePerGas: 20_000_000_000n,
  minSettlements: 20,
  batchSize: 100,
  // Later nonces wait in the mempool until a gap is filled, so it is short; storing a hash takes far less.
  leaseMs: 10_000,
  allowedFactories: [],
  ethUsd: 0,
} as const

/**
 * Verifies and settles with a wallet of our own. It connects to the chain at the first use and retries until
 * the chain answers, so that a start does not depend on it.
 * @throws TypeError for a key or RPC URL that cannot be used; WrongChain if the RPC serves another chain.
 */
export async function createInProcessFacilitator(given: InProcessOptions): Promise<RunningFacilitator> {
  const options = { ...DEFAULTS, ...given }
  const { logger, state, leaseMs, ethUsd } = options
  const chain = openChain(options.chain)
  const signer = createKeySigner(options.key)
  const from = signer.address
  const fees = createFeeSource(chain, options.maxFeePerGas)
  const codes = createCodeCache(chain)
  const limits = createGasLimits()
  const allowedFactories = options.allowedFactories.map((factory) => factory.toLowerCase() as typeof factory)

  const owner = randomUUID()
  let opening: Promise<Wallet> | null = null
  const meetChain = (): Promise<Wallet> => {
    opening ??= openWallet(chain, signer, { state, owner, leaseMs }).catch((error) => {
      opening = null
      throw error
    })
    return opening
  }
  await meetChain().catch((error) => {
    if (error instanceof WrongChain) throw error
    logger.warn('the chain RPC does not answer yet')
  })
  const repairs = startTicker({
    everyMs: leaseMs / 5,
    async work() {
      const rows = await repairNonces(await meetChain(), fees)
      if (rows > 0) logger.warn({ rows }, 'resent transactions that were left behind')
    },
    onError: (error) =>
      logger.debug(
        { reason: error instanceof Error ? error.name : 'unknown' },
        'nonces could not be checked',
      ),
  })
  repairs.runNow()
  const desk = createSettlementDesk(options.batchSize, async () => ({
    wallet: await meetChain(),
    fees,
    codes,
    limits,
    allowedFactories,
    settleTimeoutMs: options.settleTimeoutMs,
    bumpAfterMs: options.bumpAfterMs,
    onGap: repairs.runNow,
  }))

  return {
    address: from,
    verify: (payment, signal) =>
      verifyPayment(payment, { chain, codes, fees, limits, from, allowedFactories, ethUsd }, signal),
    settle: desk.settle,
    health: createGasBalance(chain, { address: from, fees, minSettlements: options.minSettlements, ethUsd }),
    async close() {
      await desk.drain()
      await repairs.stop()
    },
  }
}
