import type { Endpoint, Method } from '../endpoint.ts'
import type { Service } from '../service.ts'
import { createOffer, type Offer, type Offering } from './offer.ts'

export type PathRoute = {
  /** The path as endpoints declare it, parameters as `{name}`. */
  readonly path: string
  /** The path as Hono writes it, parameters as `:name`. */
  readonly pattern: string
  readonly byMethod: ReadonlyMap<Method, Offer>
  /** For the header `Allow` (RFC 9110 section 10.2.1). */
  readonly allow: string
}

/** A parameter of a path, and what follows it in its segment, such as `.json`. */
const PARAMETER = /\{(\w+)\}([^/{]*)/g

/** Groups endpoints by path. A read accepts POST, too, unless it declines or its path has a write side. */
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
    const methods = [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    const allow = [...methods, 'OPTIONS'].join(', ')
    return { path, pattern: toPattern(path, sharing), byMethod, allow }
  })
}

function toPattern(path: string, sharing: readonly Endpoint[]): string {
  const patterns = Object.assign({}, ...sharing.map(({ pathPatterns }) => pathPatterns))
  return path.replaceAll(PARAMETER, (_, name: string, suffix: string) => {
    const pattern: string | undefined = patterns[name]
    if (pattern === undefined && suffix === '') return `:${name}`
    return `:${name}{${pattern ?? '[^/]+'}${suffix.replaceAll('.', '\\.')}}`
  })
}

/** The values of a path's parameters, without what follows them in their segment. */
export function readPathParameters(
  { path }: PathRoute,
  matched: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const [, name = '', suffix = ''] of path.matchAll(PARAMETER)) {
    const value = matched[name] ?? ''
    values[name] = value.slice(0, value.length - suffix.length)
  }
  return values
}

/** Whether a read may also be sent as POST. */
export function takesPostRead(endpoint: Endpoint, sharingItsPath: readonly Endpoint[]): boolean {
  return (
    endpoint.method === 'GET' &&
    endpoint.isPostRead !== false &&
    sharingItsPath.every((other) => other.method === 'GET')
  )
}
