import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ServedPage = {
  readonly status?: number
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array
}

/** Serves pages on loopback by their paths; HTML in UTF-8 unless the headers say otherwise. */
export async function servePages(pages: Readonly<Record<string, ServedPage | string>>) {
  const server = createServer((request, response) => {
    const given = pages[request.url ?? ''] ?? { status: 404, body: 'not here' }
    const page = typeof given === 'string' ? { body: given } : given
    response.writeHead(page.status ?? 200, { 'content-type': 'text/html; charset=utf-8', ...page.headers })
    response.end(request.method === 'HEAD' ? undefined : page.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
