import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

const POLL_MS = 500
const POLL_TIMEOUT_MS = 1_000
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/**
 * One address in front of several replicas, taken in turn while `/healthz` answers. A request that no replica has
 * accepted goes to the next one; if a replica dies with it, its caller's connection ends without an answer.
 */
export async function startReverseProxy(
  replicas: readonly string[],
): Promise<{ readonly url: string; close(): void }> {
  const healthy = new Set(replicas)
  let turn = 0
  const poll = setInterval(() => {
    for (const url of replicas)
      void fetch(`${url}/healthz`, { signal: AbortSignal.timeout(POLL_TIMEOUT_MS) })
        .then(async (answer) => {
          await answer.arrayBuffer()
          healthy.add(url)
        })
        .catch(() => healthy.delete(url))
  }, POLL_MS)
  const server = createServer((request, response) => {
    void buffer(request)
      .then((body) => {
        turn += 1
        const rotated = replicas.map((_, at) => replicas[(turn + at) % replicas.length] ?? '')
        const well = rotated.filter((url) => healthy.has(url))
        forward({ request, response, body }, well.length > 0 ? well : rotated)
      })
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      clearInterval(poll)
      server.close()
      server.closeAllConnections()
    },
  }
}

type Call = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
}

function forward(call: Call, [url, ...others]: readonly string[]): void {
  const { request, response, body } = call
  if (url === undefined) return void response.destroy()
  const { method = 'GET', url: path = '/', rawHeaders } = request
  const asked = send(new URL(path, url), { method, headers: withoutHops(rawHeaders), agent: false })
  asked.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, withoutHops(answer.rawHeaders))
    answer.once('error', () => response.destroy())
    answer.once('close', () => {
      if (!answer.complete) response.destroy()
    })
    answer.pipe(response)
  })
  asked.once('error', (error) => {
    const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    if (isRefused && !response.headersSent) forward(call, others)
    else response.destroy()
  })
  response.once('close', () => asked.destroy())
  asked.end(body)
}

/** Names and values in turn, as `rawHeaders` has them. */
function withoutHops(raw: readonly string[]): string[] {
  return raw.flatMap((name, at) =>
    at % 2 === 1 || HOP_BY_HOP.has(name.toLowerCase()) ? [] : [name, raw[at + 1] ?? ''],
  )
}
