import type { Service } from './service.ts'

/** A further host of a service, where some of its endpoints are sold and listed too. */
export type AliasHost = {
  /** Public address without a trailing slash, such as `https://data.example`. */
  readonly baseUrl: string
  /** Paths as the endpoints write them, such as `/api/scrape`; each with all its methods. */
  readonly paths: readonly string[]
}

/**
 * The part of a service that an alias host sells: the same endpoints under the host's own address, so their
 * descriptions and prices are the same, and every listing is the host's own.
 * @throws RangeError that names the paths that the service does not have.
 */
export function buildAliasService(service: Service, { baseUrl, paths }: AliasHost): Service {
  const known = new Set<string>(service.endpoints.map(({ path }) => path))
  const unknown = paths.filter((path) => !known.has(path))
  if (unknown.length > 0)
    throw new RangeError(`no endpoint of ${service.name} has the path ${unknown.join(', ')}`)
  return {
    ...service,
    baseUrl,
    description: `${paths.join(' and ')} of ${service.title} under another host, at the same prices; ${service.baseUrl}/ has all endpoints.`,
    endpoints: service.endpoints.filter(({ path }) => paths.includes(path)),
  }
}
