import { join } from 'node:path'
import { pino } from 'pino'
import { Buyer } from '../../src/buying/buyer.ts'
import { createProxy } from '../../src/buying/proxy/serve-proxy.ts'
import { openSpendingLog } from '../../src/buying/spending-log.ts'
import { listen } from '../../src/http/server/serve.ts'
import { BASE } from '../../src/money/network.ts'
import { parseUsd } from '../../src/money/usdc.ts'
import { createChainReader } from '../../src/payments/settlement/chain/chain-reader.ts'
import type { Customer, Shop } from '../../testing/paying/shop.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'

export type OpenProxy = {
  readonly url: string
  readonly buyer: Buyer
  readonly payer: Customer
  /** The file of the spending log. */
  readonly logPath: string
  /** What the payer has spent so far, micro-USDC, according to the chain. */
  spentOnChain(): Promise<bigint>
  close(): Promise<void>
}

const FUNDS = 10_000_000n

/** A proxy with a log and a wallet of its own. @param to default: the shop. */
export async function openProxy(
  shop: Shop,
  { budget = '1', max = '0.1', to = shop.seller.url, sendsKeys = false } = {},
): Promise<OpenProxy> {
  const payer = await shop.newPayer(FUNDS)
  const { rpcUrl } = shop.seller.chain
  const logPath = join(temporaryFolder('spending'), 'spending.sqlite')
  const log = openSpendingLog(logPath)
  const buyer = new Buyer({
    log,
    chain: createChainReader({ rpcUrl, network: BASE, finalTag: 'latest' }),
    key: payer.key,
    rpcUrl,
    budget: parseUsd(budget),
    max: parseUsd(max),
  })
  const app = createProxy({ buyer, to, sendsKeys })
  const { url, close } = await listen({ app, host: '127.0.0.1', port: 0, logger: pino({ level: 'silent' }) })
  return {
    url,
    buyer,
    payer,
    logPath,
    spentOnChain: async () => FUNDS - (await shop.balanceOf(payer.address)),
    async close() {
      await close()
      log.close()
    },
  }
}
