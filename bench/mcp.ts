import type { Benchmark } from './benchmark.ts'
import { toRequest } from './load.ts'
import { createPayers, readPaymentRequired } from './payers.ts'
import { printPair } from './print-pair.ts'
import { measureInTurns } from './rounds.ts'
import { withServers } from './server-process.ts'
import { QUERY, ROUTE } from './servers/route.ts'

const PAYERS = 500
const PEER = 'the same call over HTTP'
const HEADERS = { accept: 'application/json, text/event-stream' }

/** What `/mcp` adds to a call: the same endpoint of the same service, as a tool and by its path. */
export const mcp: Benchmark = {
  name: 'mcp',
  summary: 'tool calls per second at /mcp, against the same calls over HTTP',
  run: ({ isQuick }) => {
    const options = isQuick
      ? { rounds: 3, requests: 600, concurrency: 32 }
      : { rounds: 5, requests: 3_000, concurrency: 32 }
    const payers = createPayers(PAYERS)
    return withServers({ server: ['tollbook', {}] }, async ({ server }) => {
      const required = await readPaymentRequired(server.url)
      const [payment] = await payers.sign(required, 1, toCall)
      await requireAnswer(`${server.url}/mcp`, payment)
      const unpaid = { prepare: () => [toRequest(`${ROUTE}${QUERY}`)], status: 402, server }
      const [tool, plain, paidTool, paidPlain] = await measureInTurns(
        [
          // The result of a tool has status 200, also if it is an error.
          { name: 'unpaid tool', prepare: () => [toCall()], status: 200, server },
          { ...unpaid, name: 'unpaid' },
          {
            name: 'paid tool',
            prepare: (count) => payers.sign(required, count, toCall),
            status: 200,
            server,
          },
          { name: 'paid', prepare: (count) => payers.sign(required, count), status: 200, server },
        ],
        options,
      )
      const pair = { bench: 'mcp', peer: PEER, options }
      printPair({ ...pair, figure: 'payment requirements of a tool', ours: tool, theirs: plain })
      printPair({ ...pair, figure: 'paid tool calls, stub facilitator', ours: paidTool, theirs: paidPlain })
    })
  },
}

function toCall(headers: Readonly<Record<string, string>> = {}): Buffer {
  const encoded = headers['payment-signature']
  const payment = encoded && JSON.parse(Buffer.from(encoded, 'base64').toString())
  const params = {
    name: 'contrast',
    arguments: Object.fromEntries(new URLSearchParams(QUERY)),
    ...(payment && { _meta: { 'x402/payment': payment } }),
  }
  return toRequest('/mcp', HEADERS, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
}

/** @throws Error unless a paid call is answered. */
async function requireAnswer(url: string, request: Buffer | undefined): Promise<void> {
  const body = String(request).split('\r\n\r\n')[1] ?? ''
  const headers = { ...HEADERS, 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  const { result } = (await response.json()) as { result?: { isError?: boolean } }
  if (!result || result.isError) throw new Error('a paid tool call was not answered')
}
