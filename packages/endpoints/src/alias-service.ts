import type { Endpoint } from './endpoint.ts'
import type { Service } from './service.ts'

/** A path of an alias host, and the path of the service's endpoints that it serves. */
export type AliasPath = { readonly path: string; readonly of: string }

/** An additional host of a service, where some of its endpoints are also sold and listed. */
export type AliasHost = {
  /** Public address without a trailing slash, such as `https://data.example`. */
  readonly baseUrl: string
  /** Paths as the endpoints declare them, such as `/api/scrape`; each with all its methods. */
  readonly paths: readonly AliasPath[]
}

/**
 * The endpoints that an alias host sells, with the host's own address and listings.
 * @throws RangeError that names the paths that the service does not have, or whose parameters differ.
 */
export function buildAliasService(service: Service, { baseUrl, paths }: AliasHost): Service {
  const unknown = paths.filter(({ of }) => service.endpoints.every(({ path }) => path !== of))
  if (unknown.length > 0)
    throw new RangeError(
      `no endpoint of ${service.name} has the path ${unknown.map(({ of }) => of).join(', ')}`,
    )
  const other = paths.find(({ path, of }) => parametersOf(path) !== parametersOf(of))
  if (other) throw new RangeError(`${other.path} and ${other.of} have other parameters`)
  const named = paths.map(({ path, of }) => (path === of ? path : `${path} for ${of}`))
  return {
    ...service,
    pages: {},
    baseUrl,
    description: `${named.join(' and ')} of ${service.title} under another host, at the same prices; ${service.baseUrl}/ has all endpoints.`,
    endpoints: paths.flatMap(({ path, of }) =>
      service.endpoints
        .filter((endpoint) => endpoint.path === of)
        // The setting accepts only paths that begin with a slash.
        .map((endpoint) => (path === of ? endpoint : moveTo(path as Endpoint['path'], endpoint))),
    ),
  }
}

function moveTo(path: Endpoint['path'], endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    path,
    // It may change over time; a copy would not.
    get description() {
      return endpoint.description
    },
  }
}

function parametersOf(path: string): string {
  return (path.match(/\{\w+\}/g) ?? []).sort().join()
}
