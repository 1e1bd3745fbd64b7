import assert from 'node:assert/strict'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { BASE_URL, publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, laterFigures, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import type { State } from './state/state.ts'

const PAGE = `/merchants/base/${BUSY.address}`
const HTML = { headers: { accept: 'text/html' } }

async function open(state: State) {
  await publishSample(state)
  return sampleService(state)
}

onSqliteState('HEAD returns the headers of GET without a body', async (state) => {
  const { app, asked } = await open(state)
  for (const path of [
    '/',
    '/merchants.json',
    PAGE,
    `${PAGE}.json`,
    `${PAGE}/badge.svg`,
    `${PAGE}/payments.csv`,
  ]) {
    const head = await app.request(path, { method: 'HEAD' })
    assert.equal(head.status, 200, path)
    assert.equal(await head.text(), '')
    assert.ok(head.headers.get('content-type'))
  }
  assert.deepEqual(asked, [])
})

onSqliteState('text of a merchant is inert wherever it is shown', async (state) => {
  const { app } = await open(state)
  for (const path of ['/', PAGE, '/search?q=hostile', '/search?q=%3Cscript%3Ealert(9)%3C/script%3E']) {
    const page = await (await app.request(path, HTML)).text()
    assert.doesNotMatch(page, /<script|<img src=x|onerror=alert\(\d\)>/, path)
  }
  const page = await (await app.request(PAGE)).text()
  assert.ok(
    page.includes('&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;'),
  )
})

onEveryState('a published week is available at its permanent address', async (state) => {
  const { app } = await open(state)
  assert.equal((await app.request(`${PAGE}.json?week=2026-11-15`)).status, 404)
  await publishSample(state, sampleFigures({ edition: '2026-11-15', merchants: [BUSY] }))
  await publishSample(state, laterFigures(43_200))
  const week = await app.request(`${PAGE}.json?week=2026-11-15`)
  assert.equal(((await week.json()) as MerchantReport).window.end_block, sampleFigures().window.endBlock)
  assert.equal(week.headers.get('cache-control'), 'public, max-age=3600')
  assert.ok(
    (await (await app.request(`${PAGE}?week=2026-11-15`)).text()).includes('payments.csv?week=2026-11-15'),
  )
  const ranking = await (await app.request('/merchants.json?week=2026-11-15')).json()
  assert.equal((ranking as { merchants: unknown[] }).merchants.length, 1)
  assert.ok((await (await app.request('/')).text()).includes('href="/?week=2026-11-15"'))
  const quiet = await app.request(`/merchants/base/${QUIET.address}.json?week=2026-11-15`)
  assert.equal(quiet.status, 404)
})

onSqliteState('errors are problem documents, or pages for browsers', async (state) => {
  const { app } = await open(state)
  const nobody = `/merchants/base/0x${'9'.repeat(40)}`
  const refusals: readonly [string, RequestInit, number, string][] = [
    [`${nobody}.json`, {}, 404, 'not_found'],
    [`${nobody}/badge.svg`, {}, 404, 'not_found'],
    ['/merchants/base/0x12.json', {}, 404, 'not_found'],
    ['/merchants/polygon/0x12', {}, 404, 'not_found'],
    [`${PAGE}.json?week=last`, {}, 400, 'invalid_request'],
    [`${PAGE}.json?week=2026-02-30`, {}, 400, 'invalid_request'],
    ['/merchants.json?week=2020-01-05', {}, 404, 'not_found'],
    ['/merchants.json?sort=colour', {}, 400, 'invalid_request'],
    ['/merchants.json?order=up', {}, 400, 'invalid_request'],
    ['/merchants.json?limit=0', {}, 400, 'invalid_request'],
    ['/merchants.json?limit=1001', {}, 400, 'invalid_request'],
    ['/merchants.json?cursor=abc', {}, 400, 'invalid_request'],
    [`/search?q=${'x'.repeat(201)}`, {}, 400, 'invalid_request'],
    ['/merchants.json', { method: 'POST' }, 405, 'method_not_allowed'],
    ['/nothing', {}, 404, 'not_found'],
  ]
  for (const [path, init, status, code] of refusals) {
    const response = await app.request(path, init)
    const problem = (await response.json()) as Record<string, unknown>
    assert.deepEqual([response.status, problem.code], [status, code], path)
    assert.equal(problem.type, `${BASE_URL}/problems#${code}`)
    assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/)
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
  }
  const page = await app.request(nobody, HTML)
  assert.equal(page.status, 404)
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  assert.equal(
    (await app.request('/merchants.json', { method: 'POST' })).headers.get('allow'),
    'GET, HEAD, OPTIONS',
  )
  assert.equal((await app.request('/merchants.json', { method: 'OPTIONS' })).status, 204)
})

onSqliteState('invalid parameters produce the same messages as in the paid services', async (state) => {
  const { app } = await open(state)
  for (const [path, detail] of [
    ['/merchants.json?limit=0', 'limit must be at least 1.'],
    ['/merchants.json?limit=many', 'limit must be a number.'],
    ['/merchants.json?order=up', 'order must be one of desc, asc.'],
    [`${PAGE}.json?week=last`, 'week must be a date such as 2026-11-15.'],
  ] as const) {
    assert.equal(((await (await app.request(path)).json()) as { detail: string }).detail, detail)
  }
})

onEveryState('before the first publication the ranking is empty and the service not ready', async (state) => {
  const { app } = sampleService(state)
  assert.equal((await app.request('/readyz')).status, 503)
  assert.equal((await app.request('/healthz')).status, 200)
  assert.ok((await (await app.request('/')).text()).includes('Nothing has been published yet.'))
  assert.deepEqual(await (await app.request('/merchants.json')).json(), {
    week: null,
    merchants: [],
    next_cursor: null,
  })
  await publishSample(state)
  // A separate service: readiness is checked at most once a second.
  assert.equal((await sampleService(state).app.request('/readyz')).status, 200)
  const metrics = await (await app.request('/metrics')).text()
  assert.match(metrics, /^tollbook_report_payments 135$/m)
  assert.match(metrics, /^tollbook_http_requests_total\{endpoint="ranking-page",status_class="2xx"\} 1$/m)
})

onSqliteState('a rate-limited client receives Retry-After', async (state) => {
  await publishSample(state)
  const { app } = sampleService(state, { limiter: createRateLimiter(2, () => 0) })
  const ask = async () => (await app.request('/merchants.json')).status
  assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 429])
})
