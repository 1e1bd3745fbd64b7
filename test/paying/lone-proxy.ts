import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import type { ChainFinding } from '@tollbook/gate/facilitator'
import { listen } from '@tollbook/http/server/serve'
import { Buyer } from '@tollbook/pay/buyer'
import { createProxy } from '@tollbook/pay/proxy/serve-proxy'
import { openSpendingLog } from '@tollbook/pay/spending-log'
import { exactTerms } from '@tollbook/testing/payments/offered-payment'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { encodePaymentRequiredHeader } from '@x402/core/http'
import { pino } from 'pino'

/** The price of every call, in micro-USDC. */
export const LONE_PRICE = 10_000n

const REQUIRED = encodePaymentRequiredHeader({
  x402Version: 2,
  resource: { url: 'http://127.0.0.1/', description: 'a test', mimeType: 'application/json' },
  accepts: [exactTerms(String(LONE_PRICE)) as never],
})

/** A seller that a test plays: it requests the price, and answers paid requests as the test says. */
export type LoneSeller = {
  readonly url: string
  /** Each payment that arrived, as often as it was sent. */
  readonly payments: string[]
  /** The headers of each paid request. */
  readonly heads: IncomingMessage['headers'][]
}

export async function openLoneSeller(
  t: TestContext,
  answer: (response: ServerResponse, request: IncomingMessage) => unknown,
): Promise<LoneSeller> {
  const payments: string[] = []
  const heads: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    const payment = request.headers['payment-signature'] as string | undefined
    if (payment === undefined) return void response.writeHead(402, { 'payment-required': REQUIRED }).end()
    payments.push(payment)
    heads.push(request.headers)
    answer(response, request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, payments, heads }
}

/** A proxy whose chain answers as the test says. @param options.path of its log; processes may share one */
export async function openLoneProxy(
  t: TestContext,
  to: string,
  {
    path = join(temporaryFolder('spending'), 'spending.sqlite'),
    finding = { found: 'open' } as ChainFinding,
    sendsKeys = false,
  } = {},
): Promise<{ readonly url: string; readonly buyer: Buyer }> {
  const log = openSpendingLog(path)
  const buyer = new Buyer({
    log,
    chain: { findSettlement: async () => finding },
    key: devFacilitatorKey,
    rpcUrl: 'http://127.0.0.1:1',
    budget: 100n * LONE_PRICE,
    max: LONE_PRICE,
  })
  const app = createProxy({ buyer, to, sendsKeys })
  const { url, close } = await listen({ app, host: '127.0.0.1', port: 0, logger: pino({ level: 'silent' }) })
  t.after(async () => {
    await close()
    log.close()
  })
  return { url, buyer }
}
