import { type Payment, paymentOf, setPayment } from '../routes/payment.ts'
import type { Route } from '../routes/route.ts'
import type { SellerGate } from '../seller/seller-gate.ts'
import { fromWeb, readWebContent, toWeb } from './web-answer.ts'

/** A handler of requests of the Fetch API: a route handler of Next, or of any server that speaks `Request`. */
export type WebHandler<Incoming extends Request, Rest extends unknown[]> = (
  request: Incoming,
  ...rest: Rest
) => Response | Promise<Response>

/**
 * Wraps a route handler, which then runs for paid requests only. `payment(request)` is their payment.
 * @param route with its `path` if the folder has a parameter: `/weather/:city` for `weather/[city]`
 * @throws TypeError for a wrong route
 * @example export const GET = paid(gate, { price: '0.01', description: 'Weather now' })(handler)
 */
export function paid(gate: SellerGate, route: Route) {
  const sold = gate.open(route)
  return <Incoming extends Request, Rest extends unknown[]>(
    handler: WebHandler<Incoming, Rest>,
  ): WebHandler<Incoming, Rest> =>
    async (request, ...rest) => {
      const { pathname } = new URL(request.url)
      const forwarded = request.headers.get('x-forwarded-for')
      const reply = await sold.serve({
        request,
        pattern: route.path ?? pathname,
        // Next writes the address of the socket there; what a client sent before stands to the left.
        clientAddress: gate.addressOf(forwarded?.split(',').at(-1)?.trim(), () => forwarded),
        readContent: (maxBytes) => readWebContent(request, maxBytes),
        async run(payment) {
          setPayment([request], payment)
          return fromWeb(await handler(request, ...rest))
        },
      })
      return toWeb(reply)
    }
}

/** The payment of the request that a paid handler serves. @throws TypeError outside of a paid route */
export function payment(request: Request): Payment {
  return paymentOf(request)
}
