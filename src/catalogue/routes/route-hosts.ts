import type { HttpBindings } from '@hono/node-server'

/** What answers requests, as the HTTP server calls it. */
export type Answering = {
  readonly fetch: (request: Request, env?: Partial<HttpBindings>) => Response | Promise<Response>
}

/**
 * Gives each request to the application of its host, by the header `Host`; a host that is no alias is the
 * service's own, whatever it is called.
 * @param aliases applications by their base URLs.
 */
export function routeHosts(own: Answering, aliases: ReadonlyMap<string, Answering>): Answering {
  if (aliases.size === 0) return own
  const byHost = new Map([...aliases].map(([baseUrl, app]) => [hostOf(baseUrl), app]))
  return { fetch: (request, env) => (byHost.get(hostOf(request.url)) ?? own).fetch(request, env) }
}

/**
 * Name and port of a URL's host. A default port counts as none, also the one of the other scheme: the proxy that
 * speaks HTTPS outside asks for the same host over HTTP.
 */
export function hostOf(url: string): string {
  return new URL(url).host.replace(/:(?:80|443)$/, '')
}
