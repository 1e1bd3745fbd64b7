import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NodeConnection } from '../request/node-connection.ts'

/** The request handler that the HTTP server calls. */
export type Answering = {
  readonly fetch: (request: Request, env?: Partial<NodeConnection>) => Response | Promise<Response>
  /** Answers a message directly from a socket; returns false if it must go through `fetch`. */
  readonly answer?: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean
}

/**
 * Routes each request to the application of its host, by the header `Host`; any host that is not an alias
 * belongs to the service itself.
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
 * Name and port of a URL's host. A default port is dropped, also that of the other scheme: a proxy that
 * terminates HTTPS requests the same host over HTTP.
 */
export function hostOf(url: string): string {
  return new URL(url).host.replace(/:(?:80|443)$/, '')
}
