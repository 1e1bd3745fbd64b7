import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Payment, paymentOf } from '../routes/payment.ts'
import type { Route } from '../routes/route.ts'
import type { SellerGate } from '../seller/seller-gate.ts'
import { serveNode, urlOf } from './node-call.ts'

/** What the middleware reads of a request of Express 4 and 5. */
export type ExpressRequest = IncomingMessage & {
  readonly protocol: string
  readonly originalUrl: string
  readonly baseUrl: string
  readonly path: string
  readonly route?: { readonly path: unknown }
}

type Next = (error?: unknown) => void

/**
 * Middleware of Express: the handler after it runs for paid requests only. `payment(req)` is their payment.
 * @throws TypeError for a wrong route
 * @example app.get('/weather/:city', paid(gate, { price: '0.01', description: 'Weather now' }), handler)
 */
export function paid(
  gate: SellerGate,
  route: Route,
): (request: ExpressRequest, response: ServerResponse, next: Next) => void {
  const sold = gate.open(route)
  return (request, response, next) => {
    if (request.method === 'OPTIONS') return next()
    const { protocol, originalUrl } = request
    const secure = urlOf(request, originalUrl).replace(/^\w+/, protocol)
    serveNode(gate, sold, {
      message: request,
      response,
      url: secure,
      pattern: route.path ?? patternOf(request),
      known: [request],
      run: () => next(),
    }).catch(next)
  }
}

/** The path of the route under that of its router; of one that is no text, the path of the request. */
function patternOf({ baseUrl, path, route }: ExpressRequest): string {
  return `${baseUrl}${typeof route?.path === 'string' ? route.path : path}`
}

/** The payment of the request that a paid handler serves. @throws TypeError outside of a paid route */
export function payment(request: IncomingMessage): Payment {
  return paymentOf(request)
}
