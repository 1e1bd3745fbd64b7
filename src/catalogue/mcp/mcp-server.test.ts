import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestApp, openGate } from '../../../test/catalogue/test-app.ts'
import { createDesk } from '../../../test/paying/desk.ts'
import { createRateLimiter } from '../../http/request/rate-limit.ts'

const service = {
  name: 'utility',
  title: 'Test',
  description: 'A service of a test.',
  baseUrl: 'https://test.example',
  endpoints: createDesk().endpoints,
  tools: ['test.good'],
  ports: {},
} as const

/** Sends messages to a service that allows so many unpaid requests. */
function openClient(unpaidPerMinute: number) {
  const limiter = createRateLimiter(unpaidPerMinute)
  const app = createTestApp([], { service, limiter, gate: openGate })
  return async (method: string, params: Record<string, unknown> = {}) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const id = method.startsWith('notifications/') ? {} : { id: 1 }
    const body = JSON.stringify({ jsonrpc: '2.0', ...id, method, params })
    return app.request('/mcp', { method: 'POST', headers, body })
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
