import type { Logger } from '@tollbook/flow/logger'
import { renderProblem, toProblem } from '@tollbook/http/reply/problem-document'
import type { Reply } from '@tollbook/http/reply/reply'
import type { ClientAddressReader } from '@tollbook/http/request/client-address'
import { toProbe } from '@tollbook/http/request/served-request'
import type { OfferedRoute, PaidService } from '../contract/offered-route.ts'
import type { TollGate } from '../gate/gate-options.ts'
import type { Receipt } from '../gate/receipt.ts'
import { OfferedRoutes } from '../routes/offered-routes.ts'
import { checkRoute, parsePrice, type Route } from '../routes/route.ts'
import { type RouteCall, RouteExchange } from '../routes/route-exchange.ts'

/** Chosen: more than a server has names; a `Host` that anybody sends must not fill the memory. */
const MAX_ORIGINS = 32

/** What a route sells, for the adapters. */
export type SellableRoute = { serve(call: RouteCall): Promise<Reply> }

/** The gate of a server with routes of its own. */
export class SellerGate {
  /** The address of a client by its socket and the trusted part of `X-Forwarded-For`. */
  readonly addressOf: ClientAddressReader
  readonly #gate: TollGate
  readonly #logger: Logger
  readonly #title: string | undefined
  readonly #baseUrl: string | undefined
  readonly #newId: () => string
  readonly #close: () => Promise<void>
  readonly #services = new Map<string, PaidService>()
  readonly #routes = new Map<Route, SellableRoute & { readonly offered: OfferedRoutes }>()

  constructor(parts: {
    readonly gate: TollGate
    readonly logger: Logger
    readonly title: string | undefined
    readonly baseUrl: string | undefined
    readonly addressOf: ClientAddressReader
    readonly newId: () => string
    readonly close: () => Promise<void>
  }) {
    this.#gate = parts.gate
    this.#logger = parts.logger
    this.#title = parts.title
    this.#baseUrl = parts.baseUrl
    this.addressOf = parts.addressOf
    this.#newId = parts.newId
    this.#close = parts.close
  }

  /** Whether a payment could be taken right now. */
  health(): { readonly isHealthy: boolean; readonly detail: string } {
    return this.#gate.health()
  }

  /** The receipt of a call by the id in its header `Tollbook-Receipt`; null if there is none. */
  findReceipt(id: string): Promise<Receipt | null> {
    return this.#gate.findReceipt(id)
  }

  /** What was requested since the start, at its paths and prices: for a discovery document. */
  *offers(): Generator<OfferedRoute> {
    for (const { offered } of this.#routes.values()) yield* offered.offers()
  }

  /** Waits up to 30 s for calls in progress, then closes the store. A later start continues what was open. */
  close(): Promise<void> {
    return this.#close()
  }

  /** Declares a route; used by the adapters. @throws TypeError for a wrong declaration. */
  open(route: Route): SellableRoute {
    const known = this.#routes.get(route)
    if (known) return known
    checkRoute(route)
    const offered = new OfferedRoutes(route)
    const fixed = offered.fixedPrice
    const opened = {
      offered,
      serve: async (call: RouteCall): Promise<Reply> => {
        const isProbe = call.request.method === 'HEAD'
        const request = isProbe ? toProbe(call.request) : call.request
        const service = this.#serviceAt(call.origin ?? this.#baseUrl ?? new URL(request.url).origin)
        const requestId = this.#newId()
        try {
          const price =
            fixed ?? parsePrice(typeof route.price === 'function' ? await route.price(request) : route.price)
          const offer = offered.offerAt(service, request.method, call.pattern, price)
          const onExcess = (message: string) => this.#logger.warn({ route: offer.endpoint.id }, message)
          const exchange = new RouteExchange({ route, offer, call, request, requestId, onExcess })
          const reply = await this.#gate.serve(exchange)
          return isProbe ? { ...reply, body: null } : reply
        } catch (error) {
          this.#logger.error({ err: error, requestId }, 'the gate failed')
          const { baseUrl } = service
          return renderProblem(toProblem(error), { baseUrl, hasProblemsPage: false, requestId })
        }
      },
    }
    this.#routes.set(route, opened)
    return opened
  }

  #serviceAt(origin: string): PaidService {
    const known = this.#services.get(origin)
    if (known) return known
    const [first] = this.#services.values()
    if (first && this.#services.size >= MAX_ORIGINS) return first
    const service: PaidService = {
      name: SERVICE,
      title: this.#title ?? new URL(origin).host,
      baseUrl: origin,
      hasProblemsPage: false,
    }
    this.#services.set(origin, service)
    return service
  }
}

/** In rows and metrics: a gate has one seller. */
const SERVICE = 'seller'
