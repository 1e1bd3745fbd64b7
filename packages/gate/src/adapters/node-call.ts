import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHead } from '@tollbook/http/request/message-request'
import { setPayment } from '../routes/payment.ts'
import type { SellableRoute, SellerGate } from '../seller/seller-gate.ts'
import { CapturedResponse } from './captured-response.ts'
import { readNodeContent } from './node-content.ts'

/** A request of a server of Node, and how its handler runs. */
export type NodeCall = {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** Of the request, with scheme and host. */
  readonly url: string
  readonly pattern: string
  /** Under what the framework knows the request; its payment is found by each. */
  readonly known: readonly object[]
  /** Runs the handler, which writes to the response. A promise that rejects fails the call. */
  run(): unknown
}

/** Serves a request of Node at a paid route. */
export async function serveNode(gate: SellerGate, sold: SellableRoute, call: NodeCall): Promise<void> {
  const { message, response } = call
  const captured = new CapturedResponse(response)
  const leaving = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort(new Error('the client disconnected'))
  })
  const reply = await sold.serve({
    request: toHead(message, call.url, leaving.signal),
    pattern: call.pattern,
    clientAddress: gate.addressOf(message.socket.remoteAddress, () => headerOf(message, 'x-forwarded-for')),
    readContent: (maxBytes) => readNodeContent(message, maxBytes),
    run(payment) {
      setPayment(call.known, payment)
      const answer = captured.capture()
      Promise.resolve(call.run()).catch((error: unknown) => captured.fail(error))
      return answer
    },
  })
  await captured.release(reply)
}

/** The address of a request at a server of Node: behind a proxy that speaks TLS, set the gate's `baseUrl`. */
export function urlOf(message: IncomingMessage, target = message.url ?? '/'): string {
  const isSecure = 'encrypted' in message.socket && message.socket.encrypted
  return `${isSecure ? 'https' : 'http'}://${headerOf(message, 'host') ?? 'localhost'}${target}`
}

function toHead(message: IncomingMessage, url: string, signal: AbortSignal): RequestHead {
  const get = (name: string) => headerOf(message, name)
  return {
    method: message.method ?? 'GET',
    url,
    signal,
    headers: { get, has: (name) => get(name) !== null },
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}
