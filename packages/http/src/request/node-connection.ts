import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'

/** A message of Node's servers and its answer, as `@hono/node-server` passes them to an application. */
export type NodeConnection = {
  readonly incoming: IncomingMessage | Http2ServerRequest
  readonly outgoing: ServerResponse | Http2ServerResponse
}
