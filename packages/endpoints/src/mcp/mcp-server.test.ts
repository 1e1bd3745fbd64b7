import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { ANY_ENDPOINT } from '@tollbook/testing/catalogue/row-endpoints'
import { createTestApp, openGate } from '@tollbook/testing/catalogue/test-app'
import { createDesk } from '@tollbook/testing/paying/desk'
import * as z from 'zod'
import { json } from '../answer.ts'
import { defineEndpoint } from '../endpoint.ts'

const service = {
  name: 'utility',
  title: 'Test',
  description: 'A service of a test.',
  baseUrl: 'https://test.example',
  endpoints: createDesk().endpoints,
  tools: ['test.good'],
  ports: {},
} as const

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** What every request of the revision 2026-07-28 has in its `_meta`. */
const CURRENT = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
}

/** Sends messages to a service that allows so many unpaid requests. */
function openClient(unpaidPerMinute: number) {
  const limiter = createRateLimiter(unpaidPerMinute)
  const app = createTestApp([], { service, limiter, gate: openGate })
  return async (method: string, params: Record<string, unknown> = {}) => {
    const id = method.startsWith('notifications/') ? {} : { id: 1 }
    const body = JSON.stringify({ jsonrpc: '2.0', ...id, method, params })
    return app.request('/mcp', { method: 'POST', headers: HEADERS, body })
  }
}

test('unpaid messages are limited like other unpaid requests', async () => {
  const send = openClient(5)
  const statuses: number[] = []
  for (let at = 0; at < 6; at++) statuses.push((await send('tools/list')).status)
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429])
})

test('a notification is accepted, and an unknown method is an error of the protocol', async () => {
  const send = openClient(100)
  assert.equal((await send('notifications/initialized')).status, 202)
  const { error } = (await (await send('prompts/list')).json()) as { error: { code: number } }
  assert.equal(error.code, -32_601)
})

test('what find_tool and call_tool look for is a short string', async () => {
  const send = openClient(100)
  const codeOf = async (name: string, args: object) => {
    const response = await send('tools/call', { name, arguments: args })
    return ((await response.json()) as { error?: { code: number } }).error?.code
  }
  assert.equal(await codeOf('find_tool', { query: 'good' }), undefined)
  // Invalid params, by JSON-RPC 2.0 section 5.1.
  for (const text of [{ toString: 1 }, ['good'], 7, 'good '.repeat(101)]) {
    assert.equal(await codeOf('find_tool', { query: text }), -32_602)
    assert.equal(await codeOf('call_tool', { name: text }), -32_602)
  }
})

test('a request for a stream of changes, of which there are none, is an unknown method', async () => {
  const app = createTestApp([], { service })
  const send = (method: string, params: object) =>
    app.request('/mcp', {
      method: 'POST',
      headers: { ...HEADERS, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params: { ...params, _meta: CURRENT } }),
    })
  // As the specification wants it, and the SDK answers any other method without a handler.
  const expected = {
    status: 404,
    answer: { jsonrpc: '2.0', id: 'a', error: { code: -32_601, message: 'Method not found' } },
  }
  for (const [method, params] of [
    ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
    ['prompts/list', {}],
  ] as const) {
    const response = await send(method, params)
    assert.deepEqual({ status: response.status, answer: await response.json() }, expected, method)
  }
})

test('numbers keep their digits on the way in and out, in every revision', async () => {
  const digits = '9223372036854775807'
  const echo = defineEndpoint({
    id: 'echo',
    method: 'POST',
    path: '/echo',
    pricing: { kind: 'free' },
    summary: 'Echo',
    description: 'Returns its input.',
    input: z.object({ value: z.unknown() }),
    output: z.object({ value: z.unknown() }),
    example: { input: { value: 1 }, output: { value: 1 } },
    hasExactNumbers: true,
    limits: { bodyBytes: 1000, timeoutMs: 5000 },
    handle: ({ input }) => json(input),
  })
  const app = createTestApp([], { service: { ...service, endpoints: [echo], tools: ['echo'] } })
  for (const [revision, _meta] of Object.entries({ '2025-11-25': {}, '2026-07-28': CURRENT })) {
    const params = `{"name":"echo","arguments":{"value":[${digits}]},"_meta":${JSON.stringify(_meta)}}`
    const response = await app.request('/mcp', {
      method: 'POST',
      headers: {
        ...HEADERS,
        'mcp-protocol-version': revision,
        'mcp-method': 'tools/call',
        'mcp-name': 'echo',
      },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
    })
    const text = await response.text()
    assert.ok(text.includes(`"structuredContent":{"value":[${digits}]}`), text)
    assert.ok(text.includes(`{\\"value\\":[${digits}]}`), text)
  }
})

test('a value that a path does not accept is an issue of its argument, and not an unknown path', async () => {
  const row = defineEndpoint({
    ...ANY_ENDPOINT,
    id: 'row',
    method: 'GET',
    path: '/rows/{row}.json',
    pathPatterns: { row: '(?:[a-z]+|host:[\\w.]+)' },
    pricing: { kind: 'free' },
    input: z.object({ row: z.string().describe('Letters.') }),
    example: { input: { row: 'a' } },
    handle: ({ input }) => json(input),
  })
  const app = createTestApp([], { service: { ...service, endpoints: [row], tools: ['row'] } })
  const call = async (args: object) => {
    const params = { name: 'row', arguments: args }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const response = await app.request('/mcp', { method: 'POST', headers: HEADERS, body })
    // biome-ignore lint/suspicious/noExplicitAny: a test knows what it reads
    return ((await response.json()) as any).result
  }
  for (const value of ['abc', 'host:a.example'])
    assert.deepEqual((await call({ row: value })).structuredContent, { row: value })
  for (const args of [{ row: 'ZZZ' }, { row: 'a/b' }, { row: '' }, { row: 7 }, { row: 'abc1' }, {}]) {
    const { isError, structuredContent } = await call(args)
    const { status, code, issues } = structuredContent
    const named = issues?.map(({ parameter }: { parameter: string }) => parameter)
    assert.deepEqual(
      [isError, status, code, named],
      [true, 400, 'invalid_request', ['row']],
      JSON.stringify(args),
    )
  }
  assert.match((await call({ row: 'ZZZ' })).structuredContent.detail, /^row is not accepted here: Letters\.$/)
})

test('documents name the server', async () => {
  const app = createTestApp([], { service })
  const text = async (path: string) => (await app.request(path)).text()
  assert.match(await text('/llms.txt'), /\[MCP server\]\(https:\/\/test\.example\/mcp\)/)
  assert.match(await text('/.well-known/x402'), /"mcp":"https:\/\/test\.example\/mcp"/)
  assert.match(await text('/'), /<code>https:\/\/test\.example\/mcp<\/code>/)
})

test('a service that names no tools has no server', async () => {
  const app = createTestApp([])
  assert.equal((await app.request('/mcp', { method: 'POST' })).status, 404)
})
