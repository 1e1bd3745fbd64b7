import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseAway } from '@tollbook/flow/database-away'
import { ProblemError } from '@tollbook/http/problem'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { createOpenClient, post } from '@tollbook/testing/catalogue/open-client'
import { ANY_ENDPOINT, getRow, putRow } from '@tollbook/testing/catalogue/row-endpoints'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import * as z from 'zod'
import { eventStream, json } from '../answer.ts'
import { defineEndpoint } from '../endpoint.ts'

const ran: string[] = []
const paidRead = defineEndpoint({
  ...ANY_ENDPOINT,
  id: 'read',
  method: 'GET',
  path: '/api/read',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  input: z.object({ text: z.string().min(2) }),
  example: { input: { text: 'ab' }, output: {} },
  handle: ({ input }) => {
    ran.push(input.text)
    return json({ input })
  },
})
const free = defineEndpoint({
  ...ANY_ENDPOINT,
  id: 'free',
  method: 'GET',
  path: '/api/free',
  pricing: { kind: 'free' },
  input: z.object({
    mode: z.enum(['ok', 'slow', 'throw', 'refuse', 'stream', 'unclosable', 'away']).default('ok'),
    auth_token: z.string().default(''),
  }),
  secrets: ['auth_token'],
  example: { input: {}, output: {} },
  async handle({ input, payer, signal }) {
    if (input.mode === 'throw') throw new Error(`broken at /home/somewhere by ${input.auth_token}`)
    if (input.mode === 'refuse') throw new ProblemError({ code: 'upstream_failed', detail: 'It is down.' })
    if (input.mode === 'away') throw new DatabaseAway('the state database does not answer')
    if (input.mode === 'slow') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    if (input.mode === 'stream') return eventStream(pieces())
    if (input.mode === 'unclosable') return eventStream(unclosable)
    return json({ payer })
  },
})
const unclosable = {
  [Symbol.asyncIterator]: () => ({
    next: () => pieces().next(),
    return: () => Promise.reject(new Error('the source cannot be closed')),
  }),
}
async function* pieces() {
  for (const text of ['a', 'b']) yield { bytes: new TextEncoder().encode(text), isContent: true }
}

const JSON_CONTENT = 'application/json; charset=utf-8'
const app = createTestApp([paidRead, putRow, getRow, free])
const { ask, pay } = createOpenClient(app)

test('a path with a write side accepts no read by POST', async () => {
  const { status, headers, body } = await pay('/api/rows/a', post({}))
  assert.equal(status, 405)
  assert.equal(headers.get('allow'), 'PUT, GET, HEAD, OPTIONS')
  assert.equal(body.code, 'method_not_allowed')
})

test('HEAD of a stream whose source fails while it is closed is answered, and ends nothing', async (t) => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  const { status, body } = await ask('/api/free?mode=unclosable', { method: 'HEAD' })
  assert.deepEqual([status, body], [200, null])
  // Rejections are reported after the microtasks of a turn.
  await new Promise(setImmediate)
  assert.deepEqual(unhandled, [])
})

test('HEAD and OPTIONS never run a paid handler, and HEAD of a free endpoint has no body', async () => {
  ran.length = 0
  const head = await pay('/api/read?text=hello', { method: 'HEAD' })
  assert.deepEqual([head.status, head.body], [402, null])
  const free = await ask('/api/free', { method: 'HEAD' })
  assert.deepEqual([free.status, free.body, free.headers.get('content-type')], [200, null, JSON_CONTENT])
  const options = await pay('/api/read?text=hello', { method: 'OPTIONS' })
  assert.equal(options.status, 204)
  assert.equal(options.headers.get('access-control-allow-methods'), 'GET, HEAD, POST, OPTIONS')
  assert.equal(options.headers.get('access-control-allow-origin'), '*')
  // Every SDK has its own headers; `*` is not for Authorization.
  assert.match(options.headers.get('access-control-allow-headers') ?? '', /^\*, .*\bAuthorization\b/)
  assert.deepEqual(ran, [])
})

test('path tricks end in 404 or at the gate', async () => {
  const tricks = [
    '/API/read',
    '//api/read',
    '/api//read',
    '/api/read/',
    '/api%2fread',
    '/api/read;x',
    '/api/read%00',
    '/api/read%0a',
    '/./api/read',
    '/api/%72ead',
    '/api/../api/read',
    '/api/read%20',
    '/api/read%2e',
    '/api/rea%64?text=hello',
  ]
  ran.length = 0
  for (const path of tricks) {
    const { status } = await ask(path)
    assert.ok(status === 404 || status === 402, `${path}: ${status}`)
  }
  assert.deepEqual(ran, [])
})

test("a free endpoint runs without a payer, within its timeout and its caller's rate limit", async () => {
  assert.deepEqual((await ask('/api/free')).body, { payer: null })
  const slow = await ask('/api/free?mode=slow')
  assert.deepEqual([slow.status, slow.body.code], [504, 'upstream_timeout'])
  assert.equal((await ask('/api/free?mode=refuse')).status, 502)
  assert.equal((await ask('/api/free?mode=away')).status, 503)
  assert.equal(await (await app.request('/api/free?mode=stream')).text(), 'ab')
  const strict = createTestApp([free], { limiter: createRateLimiter(2, () => 0) })
  const statuses = []
  for (let call = 0; call < 3; call++) statuses.push((await strict.request('/api/free')).status)
  assert.deepEqual(statuses, [200, 200, 429])
  assert.equal((await strict.request('/api/free')).headers.get('retry-after'), '30')
})

test('a failure reveals nothing to the client and no secret to the log', async () => {
  const lines: string[] = []
  const response = await createTestApp([free], { lines }).request(
    '/api/free?mode=throw&auth_token=verysecret',
  )
  const text = await response.text()
  assert.equal(response.status, 500)
  assert.doesNotMatch(text, /home|broken|secret/)
  assert.match(lines.join(''), /broken at \/home\/somewhere by \[secret\]/)
  assert.doesNotMatch(lines.join(''), /verysecret/)
})

test('paid answers are never cached', async () => {
  const { headers } = await pay('/api/read?text=hello')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('vary'), 'PAYMENT-SIGNATURE, X-PAYMENT, Authorization')
})
