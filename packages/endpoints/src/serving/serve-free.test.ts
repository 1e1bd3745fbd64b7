import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { StreamPiece } from '@tollbook/gate/contract/answer'
import { toRenderedText } from '@tollbook/http/reply/rendered-text'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import { watchTimers } from '@tollbook/testing/watch-timers'
import * as z from 'zod'
import { eventStream } from '../answer.ts'
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
  handle: ({ ifMatch, clientAddress }) => ({
    kind: 'document',
    content: toRenderedText(JSON.stringify({ ifMatch, clientAddress }), 'abc'),
    contentType: 'application/json; charset=utf-8',
    maxAgeSeconds: 60,
  }),
})
const app = createTestApp([tagged])

test('a client that has the current answer gets 304 without a body', async () => {
  for (const known of ['"abc"', 'W/"abc"', '"x", "abc"', '*']) {
    const response = await app.request('/api/tagged', { headers: { 'if-none-match': known } })
    assert.deepEqual([response.status, await response.text()], [304, ''], known)
    assert.equal(response.headers.get('etag'), '"abc"')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=60')
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

/** Time limits that no other timer of the process has, ms. */
const SHORT_MS = 53
const LONG_MS = 53_000

/** A free endpoint that hangs until it is aborted: before its answer, or after a piece of it. */
function createHanging(timeoutMs: number, answers: 'nothing' | 'a piece' | 'a whole stream') {
  async function* pieces(signal: AbortSignal): AsyncGenerator<StreamPiece> {
    yield { bytes: new TextEncoder().encode('one'), isContent: true }
    if (answers === 'a whole stream') return
    await once(signal, 'abort')
    throw signal.reason
  }
  return defineEndpoint({
    id: 'hanging',
    method: 'GET',
    path: '/api/hanging',
    pricing: { kind: 'free' },
    summary: 'A test',
    description: 'An endpoint of this test.',
    input: z.object({}),
    output: z.unknown(),
    example: { input: {}, output: {} },
    limits: { bodyBytes: 0, timeoutMs },
    async handle({ signal }) {
      if (answers === 'nothing') await once(signal, 'abort')
      return eventStream(pieces(signal))
    },
  })
}

test('a free call that exceeds its time limit is aborted and answered 504', async () => {
  const timers = watchTimers()
  const response = await createTestApp([createHanging(SHORT_MS, 'nothing')]).request('/api/hanging')
  timers.stop()
  const { code, detail } = (await response.json()) as { code: string; detail: string }
  assert.deepEqual(
    [response.status, code, detail],
    [504, 'upstream_timeout', 'The call exceeded its time limit of 0.053 s and was aborted.'],
  )
  assert.deepEqual([timers.countSet(SHORT_MS), timers.countPending(SHORT_MS)], [1, 0])
})

test('a free stream that exceeds its time limit is cut', async () => {
  const response = await createTestApp([createHanging(SHORT_MS, 'a piece')]).request('/api/hanging')
  assert.equal(response.status, 200)
  await assert.rejects(response.text(), /time limit of 0\.053 s/)
})

test('a free stream leaves no timer, whether it ends or its client disconnects', async () => {
  const timers = watchTimers()
  const whole = await createTestApp([createHanging(LONG_MS, 'a whole stream')]).request('/api/hanging')
  assert.equal(await whole.text(), 'one')
  const left = await createTestApp([createHanging(LONG_MS, 'a piece')]).request('/api/hanging')
  const reader = left.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  timers.stop()
  assert.deepEqual([timers.countSet(LONG_MS), timers.countPending(LONG_MS)], [2, 0])
})
