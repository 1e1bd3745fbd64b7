import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Payment, paymentOf } from '../routes/payment.ts'
import type { Route } from '../routes/route.ts'
import type { SellerGate } from '../seller/seller-gate.ts'
import { serveNode } from './node-call.ts'

/** What the hook reads of a request of Fastify 4 and 5. */
export type FastifyRequest = {
  readonly raw: IncomingMessage
  readonly protocol: string
  readonly host?: string
  readonly hostname: string
  readonly originalUrl: string
  readonly body?: unknown
  readonly routeOptions: { readonly url?: string | undefined }
}

/** What the hook uses of a reply of Fastify. */
export type FastifyReply = { readonly raw: ServerResponse }

/** Options of a route: with a schema, `{ schema, ...paid(gate, route) }`. */
export type PaidOptions = {
  readonly preHandler: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void
}

/**
 * Options of a route of Fastify: its handler runs for paid requests only, after the validation of the request, which is
 * free. `payment(request)` is their payment.
 * @throws TypeError for a wrong route
 * @example app.get('/weather/:city', paid(gate, { price: '0.01', description: 'Weather now' }), handler)
 */
export function paid(gate: SellerGate, route: Route): PaidOptions {
  const sold = gate.open(route)
  return {
    preHandler(request, reply, done) {
      const { raw, protocol, originalUrl } = request
      const host = request.host ?? request.hostname
      // Its parser has read the body.
      Object.assign(raw, { body: request.body })
      serveNode(gate, sold, {
        message: raw,
        response: reply.raw,
        url: `${protocol}://${host}${originalUrl}`,
        pattern: route.path ?? request.routeOptions.url ?? originalUrl.split('?', 1)[0] ?? '/',
        known: [request, raw],
        run: () => done(),
      }).catch(done)
    },
  }
}

/** The payment of the request that a paid handler serves. @throws TypeError outside of a paid route */
export function payment(request: object): Payment {
  return paymentOf(request)
}
