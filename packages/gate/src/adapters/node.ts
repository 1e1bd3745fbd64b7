import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Payment, paymentOf } from '../routes/payment.ts'
import type { Route } from '../routes/route.ts'
import type { SellerGate } from '../seller/seller-gate.ts'
import { serveNode, urlOf } from './node-call.ts'

/** A listener of `createServer` in `node:http`. */
export type NodeHandler = (message: IncomingMessage, response: ServerResponse) => unknown

/**
 * Wraps a listener of `node:http`, which then runs for paid requests only. `payment(message)` is their payment.
 * @param route with its `path` if the listener serves several paths with parameters
 * @throws TypeError for a wrong route
 * @example createServer(paid(gate, { price: '0.01', description: 'Weather now' })(handler)).listen(3000)
 */
export function paid(gate: SellerGate, route: Route): (handler: NodeHandler) => NodeHandler {
  const sold = gate.open(route)
  return (handler) => async (message, response) => {
    if (message.method === 'OPTIONS') return handler(message, response)
    const url = urlOf(message)
    return serveNode(gate, sold, {
      message,
      response,
      url,
      pattern: route.path ?? new URL(url).pathname,
      known: [message],
      run: async () => handler(message, response),
    })
  }
}

/** The payment of the request that a paid handler serves. @throws TypeError outside of a paid route */
export function payment(message: IncomingMessage): Payment {
  return paymentOf(message)
}
