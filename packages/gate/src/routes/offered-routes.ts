import type { DiscoveryDeclaration, OfferedRoute, PaidService } from '../contract/offered-route.ts'
import type { PaidRoute } from '../contract/paid-route.ts'
import { type ParsedPrice, parsePrice, type Route } from './route.ts'

/** Chosen: more than a server has routes and prices; a route without a pattern is another one at each path. */
const MAX_OFFERS = 1_000
const TIMEOUT_MS = 60_000

/** One route at its paths and prices. The gate builds a challenge for each object, so equal ones are the same. */
export class OfferedRoutes {
  readonly #route: Route
  readonly #offers = new Map<string, OfferedRoute>()

  constructor(route: Route) {
    this.#route = route
  }

  /** @param pattern such as `/weather/:city` */
  offerAt(service: PaidService, method: string, pattern: string, price: ParsedPrice): OfferedRoute {
    const key = JSON.stringify([service.baseUrl, method, pattern, price.priceUsd, price.kind])
    const known = this.#offers.get(key)
    if (known) return known
    const offer = toOffer(this.#route, service, method, pattern, price)
    const [oldest] = this.#offers.keys()
    if (this.#offers.size >= MAX_OFFERS && oldest !== undefined) this.#offers.delete(oldest)
    this.#offers.set(key, offer)
    return offer
  }

  offers(): Iterable<OfferedRoute> {
    return this.#offers.values()
  }

  /** The price of a route whose price does not depend on the request; null if it does. */
  get fixedPrice(): ParsedPrice | null {
    const { price } = this.#route
    return typeof price === 'function' ? null : parsePrice(price)
  }
}

function toOffer(
  route: Route,
  service: PaidService,
  method: string,
  pattern: string,
  price: ParsedPrice,
): OfferedRoute {
  const endpoint: PaidRoute = {
    id: route.id ?? `${method} ${pattern}`,
    description: route.description,
    pricing:
      price.kind === 'exact'
        ? { kind: 'exact', priceUsd: price.priceUsd }
        : { ...price, kind: 'metered', isExactFirst: false },
    limits: { timeoutMs: route.timeoutMs ?? TIMEOUT_MS },
    ...(route.scope && { scope: route.scope }),
    ...(route.dialect && { dialect: route.dialect }),
    ...(route.rerun !== undefined && { rerun: route.rerun }),
  }
  const declaration = declare(route, method, pattern)
  return {
    service,
    endpoint,
    resourceUrl: `${service.baseUrl}${pattern}`,
    discovery: {
      answerType: () => route.mimeType ?? 'application/json',
      // The shortest comes last, for headers.
      declarations: () => [declaration, declare({}, method, pattern)],
    },
  }
}

/** The `bazaar` declaration (x402 specs/extensions/bazaar.md), in the members of its SDK 2.27.0. */
function declare(
  { discovery: { input, inputSchema, output } = {}, mimeType }: Pick<Route, 'discovery' | 'mimeType'>,
  method: string,
  pattern: string,
): DiscoveryDeclaration {
  const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'DELETE'
  const values = hasBody ? { bodyType: 'json', body: input ?? {} } : input && { queryParams: input }
  const place = hasBody ? 'body' : 'queryParams'
  const isJson = mimeType === undefined || /json/.test(mimeType)
  return {
    ...(pattern.includes(':') && { routeTemplate: pattern }),
    info: {
      input: { type: 'http', method, ...values },
      output: { type: isJson ? 'json' : 'text', ...(output !== undefined && { example: output }) },
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'http' },
            method: { type: 'string', enum: [method] },
            ...(hasBody && { bodyType: { type: 'string', enum: ['json', 'form-data', 'text'] } }),
            ...(values && { [place]: inputSchema ?? { type: 'object' } }),
          },
          required: hasBody ? ['type', 'method', 'bodyType', 'body'] : ['type', 'method'],
        },
        output: { type: 'object', properties: { type: { type: 'string' }, example: {} } },
      },
      required: ['input'],
    },
  }
}
