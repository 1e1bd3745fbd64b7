import { join } from 'node:path'
import { BASE } from '@tollbook/chain/network'
import { parseUsd } from '@tollbook/chain/usdc'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import { listen } from '@tollbook/http/server/serve'
import { Buyer } from '@tollbook/pay/buyer'
import { createProxy } from '@tollbook/pay/proxy/serve-proxy'
import { openSpendingLog } from '@tollbook/pay/spending-log'
import type { Customer, Shop } from '@tollbook/testing/paying/shop'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { pino } from 'pino'

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
