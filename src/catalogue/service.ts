import type { Registry } from 'prom-client'
import type { Endpoint } from './endpoint.ts'
import type { Page } from './page.ts'

export type ServiceName = 'social' | 'utility' | 'inference'

/** A service as it is sold: what it is called, where it answers, who is paid, and what it offers. */
export type Service = {
  readonly name: ServiceName
  readonly title: string
  /** One sentence for people and agents that meet the service first. */
  readonly description: string
  /** Public address without a trailing slash, such as `https://utility.example`. */
  readonly baseUrl: string
  readonly endpoints: readonly Endpoint[]
  /** Whether it is paid on a local chain, whose money is worth nothing; default false. */
  readonly isDemo?: boolean
  /** What the handlers of this service reach the world through. */
  readonly ports: unknown
  /** Changes with what the endpoints say of themselves; documents and challenges are then made anew. Default never. */
  readonly edition?: () => string
  /** Adds what it counts beside its requests to the metrics that `/metrics` shows. */
  readonly registerMetrics?: (registry: Registry) => void
  /** What it shows beside its endpoints and documents, free of charge, by Hono pattern. */
  readonly pages?: Readonly<Record<string, Page>>
}

/**
 * The URL under which an endpoint is listed and challenged: without query, and with `:name` for a path
 * parameter, as discovery catalogues write it.
 */
export function resourceUrlOf({ baseUrl }: Pick<Service, 'baseUrl'>, endpoint: Endpoint): string {
  return `${baseUrl}${endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')}`
}
