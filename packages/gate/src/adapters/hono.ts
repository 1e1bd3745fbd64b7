import type { Context, MiddlewareHandler } from 'hono'
import { type Payment, paymentOf, setPayment } from '../routes/payment.ts'
import type { Route } from '../routes/route.ts'
import type { RouteCall } from '../routes/route-exchange.ts'
import type { SellerGate } from '../seller/seller-gate.ts'
import { fromWeb, readWebContent, toWeb } from './web-answer.ts'

/**
 * Middleware of Hono: the handler after it runs for paid requests only. `payment(c)` is their payment.
 * @throws TypeError for a wrong route
 * @example app.get('/weather/:city', paid(gate, { price: '0.01', description: 'Weather now' }), handler)
 */
export function paid(gate: SellerGate, route: Route): MiddlewareHandler {
  const sold = gate.open(route)
  return async (context, next) => {
    if (context.req.method === 'OPTIONS') return next()
    // What middleware before this one has set, such as for CORS; it is not part of the answer that is stored.
    const around = new Headers(context.res.headers)
    const reply = await sold.serve(toCall(gate, route, context, next, around))
    const response = toWeb(reply)
    for (const [name, value] of around) {
      if (name === 'access-control-expose-headers' || name === 'vary' || name === 'set-cookie')
        response.headers.append(name, value)
      else if (!response.headers.has(name) && name !== 'content-type') response.headers.set(name, value)
    }
    // Setting one response over another would merge their headers.
    context.res = undefined
    context.res = response
    return
  }
}

function toCall(
  gate: SellerGate,
  route: Route,
  context: Context,
  next: () => Promise<void>,
  around: Headers,
): RouteCall {
  const { req } = context
  const incoming: { socket?: { remoteAddress?: string } } | undefined = context.env?.incoming
  return {
    request: req.raw,
    pattern: route.path ?? req.routePath,
    clientAddress: gate.addressOf(
      incoming?.socket?.remoteAddress,
      () => req.header('x-forwarded-for') ?? null,
    ),
    // Middleware before this one may have read the body, which Hono then holds.
    readContent: async (maxBytes) =>
      req.raw.bodyUsed
        ? { bytes: new Uint8Array(await req.arrayBuffer()) }
        : readWebContent(req.raw, maxBytes),
    async run(payment: Payment) {
      setPayment([context, req.raw], payment)
      await next()
      return fromWeb(context.res, around)
    },
  }
}

/** The payment of the request that a paid handler serves. @throws TypeError outside of a paid route */
export function payment(context: Context): Payment {
  return paymentOf(context)
}
