import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'

/** What answers requests, as the HTTP server calls it. */
export type Answering = {
  readonly fetch: (request: Request, env?: Partial<HttpBindings>) => Response | Promise<Response>
  /** Answers a message from a socket right there; false when it is one for `fetch`. */
  readonly answer?: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean
}

/**
 * Gives each request to the application of its host, by the header `Host`; a host that is no alias is the
 * service's own, whatever it is called.
 * @param aliases applications by their base URLs.
 */
export function routeHosts(own: Answering, aliases: ReadonlyMap<string, Answering>): Answering {
  if (aliases.size === 0) return own
  const byHost = new Map([...aliases].map(([baseUrl, app]) => [hostOf(baseUrl), app]))
  const find = (url: string) => byHost.get(hostOf(url)) ?? own
  return {
    fetch: (request, env) => find(request.url).fetch(request, env),
    answer(incoming, outgoing) {
      const url = `http://${incoming.headers.host}`
      return URL.canParse(url) && (find(url).answer?.(incoming, outgoing) ?? false)
    },
  }
}

/**
 * Name and port of a URL's host. A default port counts as none, also the one of the other scheme: the proxy that
 * speaks HTTPS outside asks for the same host over HTTP.
 */
export function hostOf(url: string): string {
  return new URL(url).host.replace(/:(?:80|443)$/, '')
}
