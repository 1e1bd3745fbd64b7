import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Random } from '@tollbook/devchain/demo-week/random'
import type { Sellers } from './sellers.ts'

/** One address for several replicas. A request goes to an open one; if that dies, its caller gets no answer. */
export async function startBalancer(replicas: Sellers, random: Random) {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      const url = await replicas.choose(random)
      const headers = { 'content-type': request.headers['content-type'] ?? '' }
      const { method = 'GET' } = request
      const answer = await fetch(`${url}${request.url}`, { method, headers, ...(body && { body }) })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
