import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/**
 * A request header by its lower-case name. `Request.headers` builds an object of all headers, which is a
 * tenth of the cost of a cached response; `IncomingMessage.headers` avoids it.
 */
export function readHeader({ env, req }: Context, name: string): string | undefined {
  const { headers } = ((env as Partial<HttpBindings> | undefined)?.incoming ?? {}) as Partial<IncomingMessage>
  if (!headers) return req.header(name)
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
