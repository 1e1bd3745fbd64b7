import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { createTestApp } from '../../../test/catalogue/test-app.ts'
import { json } from '../answer.ts'
import { defineEndpoint } from '../endpoint.ts'

const tagged = defineEndpoint({
  id: 'tagged',
  method: 'GET',
  path: '/api/tagged',
  pricing: { kind: 'free' },
  summary: 'A test',
  description: 'An endpoint of this test.',
  input: z.object({}),
  output: z.unknown(),
  example: { input: {}, output: {} },
  limits: { bodyBytes: 0, timeoutMs: 1_000 },
  handle: ({ ifMatch, clientAddress }) =>
    json({ ifMatch, clientAddress }, { headers: { etag: '"abc"', 'cache-control': 'max-age=60' } }),
})
const app = createTestApp([tagged])

test('a client that has the current answer gets 304 without a body', async () => {
  for (const known of ['"abc"', 'W/"abc"', '"x", "abc"', '*']) {
    const response = await app.request('/api/tagged', { headers: { 'if-none-match': known } })
    assert.deepEqual([response.status, await response.text()], [304, ''], known)
    assert.equal(response.headers.get('etag'), '"abc"')
    assert.equal(response.headers.get('cache-control'), 'max-age=60')
    assert.equal(response.headers.get('content-type'), null)
  }
})

test('a client that has another answer gets the whole answer', async () => {
  for (const known of ['', '"ab"', 'abcd']) {
    const response = await app.request('/api/tagged', { headers: { 'if-none-match': known } })
    assert.equal(response.status, 200, known)
  }
})

test('the handler receives the version that the client expects', async () => {
  const response = await app.request('/api/tagged', { headers: { 'if-match': '"3"' } })
  assert.deepEqual(await response.json(), { ifMatch: '"3"', clientAddress: 'unknown' })
})

test("the handler receives the caller's address, behind a trusted proxy the forwarded one", async () => {
  const behindProxy = createTestApp([tagged], { trustedProxies: ['10.0.0.0/8'] })
  const incoming = { socket: { remoteAddress: '10.0.0.1' } }
  const headers = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' }
  const bodyAt = async (served: typeof app) =>
    (await served.request('/api/tagged', { headers }, { incoming })).json()
  assert.deepEqual(await bodyAt(app), { ifMatch: '', clientAddress: '10.0.0.1' })
  assert.deepEqual(await bodyAt(behindProxy), { ifMatch: '', clientAddress: '203.0.113.9' })
})
