import { type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

export type RawRequest = {
  readonly method?: string
  /** Sent verbatim, unlike the paths of fetch. */
  readonly path: string
  /** A list sends the header several times. */
  readonly headers?: OutgoingHttpHeaders
  /** Chunks of a body without a length, sent one after the other. */
  readonly chunks?: readonly (string | Uint8Array)[]
}

/** Sends a request verbatim and returns the answer. */
export function sendRaw(url: string, raw: RawRequest): Promise<Response> {
  const { hostname, port } = new URL(url)
  const { method = 'GET', path, headers = {}, chunks = [] } = raw
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path, headers, agent: false }, async (incoming) => {
      const pairs = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const)
      const body = await text(incoming)
      const status = incoming.statusCode ?? 0
      const isEmpty = method === 'HEAD' || status === 204
      resolve(new Response(isEmpty ? null : body, { status, headers: [...pairs] as [string, string][] }))
    })
    // A server may refuse a body before it has read all of it.
    outgoing.on('error', reject)
    for (const chunk of chunks) outgoing.write(chunk)
    outgoing.end()
  })
}

/** Writes bytes to the service and returns everything it sends until it closes the connection. */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  return text(socket)
}
