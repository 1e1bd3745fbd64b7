import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeEndpoint as free } from '@tollbook/testing/catalogue/row-endpoints'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import { createRateLimiter } from '../request/rate-limit.ts'
import { createLogger } from './logger.ts'

test('a service is alive at once, and ready when all its checks are', async () => {
  const requested: string[] = []
  const check = (name: string, isHealthy: boolean) => ({
    name,
    check: async () => {
      requested.push(name)
      return { isHealthy, detail: isHealthy ? 'fine' : 'gas is low' }
    },
  })
  const failing = { name: 'store', check: () => Promise.reject(new Error('postgres://user:secret@host')) }
  const ready = createTestApp([free], { checks: [check('gas', true)] })
  assert.equal((await ready.request('/healthz')).status, 200)
  assert.equal((await ready.request('/readyz')).status, 200)
  assert.equal((await ready.request('/readyz')).status, 200)
  // Two requests within a second ran the check once.
  assert.deepEqual(requested, ['gas'])
  const unready = await createTestApp([free], { checks: [check('gas', false), failing] }).request('/readyz')
  assert.equal(unready.status, 503)
  assert.deepEqual(await unready.json(), {
    is_ready: false,
    checks: [
      { name: 'gas', is_healthy: false, detail: 'gas is low' },
      { name: 'store', is_healthy: false, detail: 'The check failed or timed out.' },
    ],
  })
  const metrics = await (await ready.request('/metrics')).text()
  assert.match(metrics, /^tollbook_ready\{check="gas"\} 1$/m)
})

test('every request is counted by endpoint and class of status', async () => {
  const app = createTestApp([free])
  for (const path of ['/api/free', '/api/free', '/api/free?nope=1', '/nowhere']) await app.request(path)
  const metrics = await (await app.request('/metrics')).text()
  assert.match(metrics, /tollbook_http_requests_total\{endpoint="free",status_class="2xx"\} 2/)
  assert.match(metrics, /tollbook_http_requests_total\{endpoint="free",status_class="4xx"\} 1/)
  assert.match(metrics, /tollbook_http_requests_total\{endpoint="none",status_class="4xx"\} 1/)
  assert.match(metrics, /tollbook_http_request_duration_seconds_bucket\{le="0\.001",endpoint="free"/)
})

test('health checks and metrics are neither counted, logged nor rate-limited', async () => {
  const lines: string[] = []
  const app = createTestApp([free], { lines, limiter: createRateLimiter(1, () => 0) })
  for (const path of ['/healthz', '/readyz', '/metrics', '/healthz'])
    assert.equal((await app.request(path)).status, 200, path)
  assert.doesNotMatch(await (await app.request('/metrics')).text(), /tollbook_http_requests_total\{/)
  assert.deepEqual(lines, [])
})

test('one line per request: endpoint, status, time and ids, nothing else that was sent', async () => {
  const lines: string[] = []
  const app = createTestApp([free], { lines })
  const headers = { 'payment-signature': 'signed', cookie: 'crumb' }
  const response = await app.request('/api/free?auth_token=verysecret', { headers })
  assert.equal(lines.length, 1)
  const { endpoint, status, ms, request_id, trace_id, msg, ...others } = JSON.parse(lines[0] ?? '')
  assert.deepEqual({ endpoint, status, msg }, { endpoint: 'free', status: 200, msg: 'request' })
  assert.equal(typeof ms, 'number')
  assert.equal(request_id, response.headers.get('x-request-id'))
  assert.equal(trace_id, request_id?.replaceAll('-', ''))
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  await app.request('/api/free', { headers: { traceparent } })
  assert.equal(JSON.parse(lines[1] ?? '').trace_id, '4bf92f3577b34da6a3ce929d0e0e4736')
  assert.deepEqual(Object.keys(others).sort(), ['hostname', 'level', 'pid', 'time'])
})

test('the logger redacts secrets anywhere in an object', () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line) => void lines.push(line) })
  const retained = {
    auth_token: 'a1',
    headers: { 'Payment-Signature': 'b2' },
    calls: [{ query: { ct0: 'c3' } }],
  }
  const held: Record<string, unknown> = { cookie: 'd4' }
  held.itself = held
  logger.info(retained)
  logger.info({ held: { held } })
  assert.doesNotMatch(lines.join(''), /a1|b2|c3|d4/)
  assert.match(lines[0] ?? '', /"calls":\[\{"query":\{"ct0":"\[secret\]"\}\}\]/)
  // The logged object belongs to its owner and is unchanged.
  assert.equal(retained.headers['Payment-Signature'], 'b2')
})

test('the logger removes the text that JSON.parse quotes, wherever its error is in a chain', () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line) => void lines.push(line) })
  for (const text of ['privatewords', '{"answer": privatewords', '"privatewords']) {
    try {
      JSON.parse(text)
    } catch (error) {
      logger.error({ err: error }, 'failed')
      logger.error({
        err: new Error('the stream broke off', { cause: new Error('no event', { cause: error }) }),
      })
    }
  }
  assert.equal(lines.length, 6)
  assert.doesNotMatch(lines.join(''), /private|words/)
  assert.match(lines[1] ?? '', /the stream broke off: no event: a text that cannot be read/)
})

test('the limiter refills evenly, returns how long to wait, and counts an IPv6 network as one client', () => {
  let nowMs = 0
  const limiter = createRateLimiter(6, () => nowMs)
  const takeAll = (address: string, times: number) =>
    Array.from({ length: times }, () => limiter.take(address))
  assert.deepEqual(takeAll('192.0.2.1', 7), [0, 0, 0, 0, 0, 0, 10])
  assert.equal(limiter.take('192.0.2.2'), 0)
  // 6 per minute are one in 10 seconds.
  nowMs = 9_999
  assert.equal(limiter.take('192.0.2.1'), 1)
  nowMs = 10_000
  assert.deepEqual(takeAll('192.0.2.1', 2), [0, 10])
  takeAll('2001:db8::1', 6)
  assert.equal(limiter.take('2001:db8:0:0:ffff::9'), 10)
  assert.equal(limiter.take('2001:db8:0:1::1'), 0)
})
