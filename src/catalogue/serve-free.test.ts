import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { json } from './answer.ts'
import { defineEndpoint } from './endpoint.ts'
import { createTestApp } from './test-service.ts'

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
  limits: { bodyBytes: 0, timeoutMs: 200 },
  handle: ({ ifMatch }) => json({ ifMatch }, { headers: { etag: '"abc"', 'cache-control': 'max-age=60' } }),
})
const app = createTestApp([tagged])

test('who holds the answer already gets 304 without a body', async () => {
  for (const known of ['"abc"', 'W/"abc"', '"x", "abc"', '*']) {
    const response = await app.request('/api/tagged', { headers: { 'if-none-match': known } })
    assert.deepEqual([response.status, await response.text()], [304, ''], known)
    assert.equal(response.headers.get('etag'), '"abc"')
    assert.equal(response.headers.get('cache-control'), 'max-age=60')
    assert.equal(response.headers.get('content-type'), null)
  }
})

test('who holds another answer gets the whole', async () => {
  for (const known of ['', '"ab"', 'abcd']) {
    const response = await app.request('/api/tagged', { headers: { 'if-none-match': known } })
    assert.equal(response.status, 200, known)
  }
})

test('the handler sees which version the client expects', async () => {
  const response = await app.request('/api/tagged', { headers: { 'if-match': '"3"' } })
  assert.deepEqual(await response.json(), { ifMatch: '"3"' })
})
