import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Address, Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { type DevChain, startDevChain } from './dev-chain.ts'
import {
  type HostileMode,
  type HostileParts,
  type PaymentOrder,
  settleInMode,
} from './facilitator/settle-in-mode.ts'
import { SettlingWallet } from './facilitator/settling-wallet.ts'
import { createStockFacilitator } from './facilitator/stock-facilitator.ts'

export type HostileFacilitatorOptions = {
  readonly mode: HostileMode
  /** The chain on which it settles; default: one of its own, closed with it. */
  readonly chain?: DevChain
  /** How long `slow` holds an answer, milliseconds; default 5,000. */
  readonly delayMs?: number
  /** TCP port on 127.0.0.1; default: a free one. */
  readonly port?: number
}

/** A facilitator over HTTP that settles on a dev chain and misbehaves. */
export type HostileFacilitator = {
  /** Base URL of `/supported`, `/verify` and `/settle`. */
  readonly url: string
  readonly chain: DevChain
  /** The wallet that sends the settlements. */
  readonly address: Address
  readonly mode: HostileMode
  /** For requests that arrive from now on. */
  setMode(mode: HostileMode): void
  /** Hashes of the transactions that it sent, oldest first. */
  readonly sent: readonly Hex[]
  /** Number of requests to settle. */
  readonly settleRequests: number
  /** Ends its connections, those with a slow answer too, and its own chain. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const DELAY_MS = 5_000

/**
 * Starts the facilitator of the x402 SDK (versions 1 and 2, `exact` and `upto`) with a wallet on a dev chain. It verifies
 * honestly, and settles as its mode says (`README.md`).
 * @example await using facilitator = await startHostileFacilitator({ mode: 'lost-answer' })
 */
export async function startHostileFacilitator({
  mode: firstMode,
  chain: provided,
  delayMs = DELAY_MS,
  port = 0,
}: HostileFacilitatorOptions): Promise<HostileFacilitator> {
  const chain = provided ?? (await startDevChain())
  const wallet = new SettlingWallet({ rpcUrl: chain.rpcUrl, key: generatePrivateKey() })
  const { address } = wallet.account
  await chain.fundGas(address)
  // In a block, so that a reorganisation leaves the gas.
  await chain.mine()
  const sdk = createStockFacilitator(wallet.signer(), chain.network)
  const doubleSdk = createStockFacilitator(wallet.signer(2), chain.network)
  const parts: HostileParts = { sdk, doubleSdk, chain, delayMs }
  const closing = new AbortController()
  let mode = firstMode
  let settleRequests = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/supported') return send(response, sdk.getSupported())
    if (pathname !== '/verify' && pathname !== '/settle') return void response.writeHead(404).end()
    // Nobody but the test sends requests.
    const order = (await json(request)) as PaymentOrder
    if (pathname === '/verify')
      return send(response, await sdk.verify(order.paymentPayload, order.paymentRequirements))
    settleRequests += 1
    const settled = await settleInMode(mode, parts, order, closing.signal)
    if (settled) send(response, settled)
    else response.destroy()
  }

  const server = createServer((request, response) => {
    // The SDK throws if the body is no payment.
    answer(request, response).catch((error: unknown) => send(response, { error: String(error) }, 500))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })

  async function close(): Promise<void> {
    closing.abort()
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
    if (!provided) await chain.close()
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chain,
    address,
    sent: wallet.sent,
    get mode() {
      return mode
    },
    get settleRequests() {
      return settleRequests
    },
    setMode(next) {
      mode = next
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function send(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
