import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SpeechRequest = {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type SpeechAnswer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Uint8Array | string | object
  /**
   * `half`: the connection breaks after half of the body, whose whole length was announced. `unbounded`: the
   * body ends with the connection, as in HTTP/1.0. `never`: no answer arrives.
   */
  readonly how?: 'whole' | 'half' | 'unbounded' | 'never'
}

/** A server with scripted answers that replaces a provider of voices; `asked` holds the requests so far. */
export async function startSpeechUpstream(answer: (request: SpeechRequest) => SpeechAnswer) {
  const asked: SpeechRequest[] = []
  const server = createServer(async (incoming, response) => {
    const blocks: Uint8Array[] = []
    for await (const block of incoming) blocks.push(block)
    const { method = '', url: path = '', headers } = incoming
    const request = { method, path, headers, body: Buffer.concat(blocks).toString() }
    asked.push(request)
    give(answer(request), response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

function give(
  { status = 200, headers = {}, body, how = 'whole' }: SpeechAnswer,
  response: ServerResponse,
): void {
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
  const bytes = body instanceof Uint8Array ? body : Buffer.from(isJson ? JSON.stringify(body) : body)
  const type = isJson ? { 'content-type': 'application/json' } : {}
  switch (how) {
    case 'whole':
      response.writeHead(status, { ...type, ...headers, 'content-length': `${bytes.length}` }).end(bytes)
      return
    case 'half':
      response.writeHead(status, { ...type, ...headers, 'content-length': `${bytes.length}` })
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
      return
    case 'unbounded': {
      const head = Object.entries({ ...type, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
      response.socket?.write(`HTTP/1.1 ${status} OK\r\n${head.join('')}connection: close\r\n\r\n`)
      response.socket?.end(bytes)
      return
    }
    case 'never':
      return
  }
}
