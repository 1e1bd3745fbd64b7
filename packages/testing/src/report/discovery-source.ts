import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { BASE } from '@tollbook/chain/network'

export const PAYEE = '0x00000000000000000000000000000000000000a1'

/** An item of a discovery answer at 1,000 micro-USDC. */
export function item(path: string, change: object = {}) {
  const accept = {
    scheme: 'exact',
    network: 'eip155:8453',
    asset: BASE.usdc,
    payTo: PAYEE,
    amount: '1000',
    ...change,
  }
  return { resource: `https://api.example.com${path}`, type: 'http', description: path, accepts: [accept] }
}

export type Answer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** A discovery source on loopback whose answer to (limit, offset) is `answer`. */
export async function serveSource(context: TestContext, answer: (limit: number, offset: number) => Answer) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams
    const { status = 200, headers, body } = answer(Number(query.get('limit')), Number(query.get('offset')))
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** Returns slices of the items, up to `max` per page. */
export function pagesOf(items: readonly unknown[], max: number, hasTotal = true) {
  return (limit: number, offset: number): Answer => {
    const shown = items.slice(offset, offset + Math.min(limit, max))
    const pagination = { limit, offset, ...(hasTotal && { total: items.length }) }
    return { body: JSON.stringify({ x402Version: 2, items: shown, pagination }) }
  }
}
