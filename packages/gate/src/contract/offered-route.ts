import type { PaidRoute } from './paid-route.ts'

/** What the gate reads of a service that sells routes. */
export type PaidService = {
  /** Such as `utility`: in labels of metrics, and rows of calls. */
  readonly name: string
  readonly title: string
  /** Public address without a trailing slash, such as `https://utility.example`. */
  readonly baseUrl: string
  /** Whether `/problems` at that address explains the codes of problems; default true. */
  readonly hasProblemsPage?: boolean
  /** What catalogues show of it. */
  readonly profile?: {
    readonly iconUrl?: string | undefined
    /** At most 5, of at most 32 ASCII characters (specs/extensions/bazaar.md). */
    readonly tags?: readonly string[] | undefined
  }
  /** Changes with the descriptions of routes; challenges are then rebuilt. Default never. */
  readonly edition?: () => string
}

/** The `bazaar` extension of a 402 (specs/extensions/bazaar.md): input and output of a route. */
export type DiscoveryDeclaration = {
  readonly routeTemplate?: string
  readonly info: { readonly input: Readonly<Record<string, unknown>>; readonly output?: unknown }
  /** JSON Schema 2020-12. */
  readonly schema: Readonly<Record<string, unknown>>
}

/** What catalogues show of a route besides its price; called only when a challenge is built. */
export interface RouteDiscovery {
  /** The media type of its answers. */
  answerType(): string
  /** Its declarations from the fullest to the shortest; at least one, and all valid. */
  declarations(): Iterable<DiscoveryDeclaration>
}

/** A route of a service, as it is offered. */
export type OfferedRoute = {
  readonly service: PaidService
  readonly endpoint: PaidRoute
  /** The URL under which the route is listed: without query, with `:name` for parameters. */
  readonly resourceUrl: string
  readonly discovery: RouteDiscovery
}
