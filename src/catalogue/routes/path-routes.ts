import type { Endpoint, Method } from '../endpoint.ts'
import type { Service } from '../service.ts'
import { createOffer, type Offer, type Offering } from './offer.ts'

/** Everything that one path offers. */
export type PathRoute = {
  /** The path as endpoints declare it, parameters as `{name}`. */
  readonly path: string
  /** The path as Hono writes it, parameters as `:name`. */
  readonly pattern: string
  readonly byMethod: ReadonlyMap<Method, Offer>
  /** For the header `Allow` (RFC 9110 section 10.2.1). */
  readonly allow: string
}

/**
 * Groups the endpoints of a service by path. A read also accepts POST with the same fields as JSON, unless it
 * declines or its path has a write side.
 */
export function groupByPath(service: Offering & Pick<Service, 'endpoints'>): readonly PathRoute[] {
  const byPath = Map.groupBy(service.endpoints, (endpoint) => endpoint.path)
  // A fixed path takes precedence over one with a parameter in the same place.
  const paths = [...byPath].sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
  return paths.map(([path, sharing]) => {
    const byMethod = new Map<Method, Offer>()
    for (const endpoint of sharing) {
      const offer = createOffer(service, endpoint)
      byMethod.set(endpoint.method, offer)
      if (takesPostRead(endpoint, sharing)) byMethod.set('POST', offer)
    }
    const allow = [...byMethod.keys(), 'OPTIONS', ...(byMethod.has('GET') ? ['HEAD'] : [])].join(', ')
    return { path, pattern: path.replaceAll(/\{(\w+)\}/g, ':$1'), byMethod, allow }
  })
}

/** Whether a read may also be sent as POST. */
export function takesPostRead(endpoint: Endpoint, sharingItsPath: readonly Endpoint[]): boolean {
  return (
    endpoint.method === 'GET' &&
    endpoint.isPostRead !== false &&
    sharingItsPath.every((other) => other.method === 'GET')
  )
}
