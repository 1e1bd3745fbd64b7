import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { SettlingWallet } from '@tollbook/devchain/facilitator/settling-wallet'
import { createStockFacilitator } from '@tollbook/devchain/facilitator/stock-facilitator'
import type { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'

type Order = { readonly paymentPayload: PaymentPayload; readonly paymentRequirements: PaymentRequirements }

/** What a route does instead of its work, or after it. */
export type Mood = (answer: ServerResponse, work: () => Promise<unknown>) => unknown

/** The facilitator of the x402 SDK behind its HTTP interface, with failures on demand. */
export type StockFacilitator = {
  readonly url: string
  /** Behaviour of `/verify` and `/settle`; absent: normal. */
  verify: Mood | undefined
  settle: Mood | undefined
  /** Number of settlement requests. */
  settlements: number
  /** Simulates the end of the process: connections break and everything in memory is lost. */
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startStockFacilitator(rpcUrl: string): Promise<StockFacilitator> {
  let server: Server
  let port = 0
  let sdk = createSdk(rpcUrl)
  const self = {
    url: '',
    verify: undefined,
    settle: undefined,
    settlements: 0,
  } as unknown as StockFacilitator

  async function serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (request.url === '/supported') return say(answer, sdk.getSupported())
    const { paymentPayload, paymentRequirements } = (await json(request)) as Order
    const isSettlement = request.url === '/settle'
    if (isSettlement) self.settlements += 1
    const work = () =>
      isSettlement
        ? sdk.settle(paymentPayload, paymentRequirements)
        : sdk.verify(paymentPayload, paymentRequirements)
    const mood = isSettlement ? self.settle : self.verify
    if (mood) await mood(answer, work)
    else say(answer, await work())
  }

  async function start(): Promise<void> {
    sdk = createSdk(rpcUrl)
    server = createServer((request, answer) => {
      serve(request, answer).catch(() => answer.destroy())
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const address = server.address()
    port = typeof address === 'object' && address ? address.port : 0
  }

  await start()
  return Object.assign(self, {
    url: `http://127.0.0.1:${port}`,
    start,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

export function say(answer: ServerResponse, body: unknown, status = 200): void {
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function createSdk(rpcUrl: string): x402Facilitator {
  return createStockFacilitator(new SettlingWallet({ rpcUrl, key: devFacilitatorKey }).signer())
}
