import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** The lengths of a request's head and of its answer's, in bytes: first line, headers and the empty line. */
export type MeasuredHeads = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly status: number
  readonly requestBytes: number
  readonly responseBytes: number
}

const FINISH = 'http.server.response.finish'

/** Measures what this process serves at a port, in the order in which the answers end, until it is stopped. */
export function measureHeads(url: string): { readonly heads: readonly MeasuredHeads[]; stop(): void } {
  const port = Number(new URL(url).port)
  const heads: MeasuredHeads[] = []
  const note = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.socket.localPort === port) heads.push(measure(request, response))
  }
  subscribe(FINISH, note)
  return { heads, stop: () => unsubscribe(FINISH, note) }
}

function measure(request: IncomingMessage, response: ServerResponse): MeasuredHeads {
  const { method = '', url: path = '', rawHeaders } = request
  const lines = rawHeaders
    .filter((_, at) => at % 2 === 0)
    .map((name, at) => `${name}: ${rawHeaders[2 * at + 1]}`)
  const head = [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  // The head exactly as Node has written it.
  const { _header: written } = response as ServerResponse & { readonly _header: string }
  const [requestBytes, responseBytes] = [head, written].map((text) => Buffer.byteLength(text, 'latin1')) as [
    number,
    number,
  ]
  return { method, path, status: response.statusCode, requestBytes, responseBytes }
}
