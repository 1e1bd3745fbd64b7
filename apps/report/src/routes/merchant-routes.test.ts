import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { Unreachable } from '@tollbook/flow/failure'
import { PUBLISHED_AT, publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, laterFigures, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { loadReport } from '../editions/stored-reports.ts'
import type { State } from '../state/state.ts'

const PAGE = `/merchants/base/${BUSY.address}`

async function open(state: State) {
  await publishSample(state)
  return sampleService(state)
}

onEveryState('a report is served with exactly the bytes that were stored', async (state) => {
  const { app } = await open(state)
  const response = await app.request(`${PAGE}.json`)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(response.headers.get('cache-control'), 'public, max-age=5')
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  assert.equal(await response.text(), (await loadReport(state, 'rolling', BUSY.address))?.body)
})

onSqliteState('an address is found in any case', async (state) => {
  const { app } = await open(state)
  for (const address of [BUSY.address.toUpperCase(), `0x${BUSY.address.slice(2).toUpperCase()}`]) {
    const response = await app.request(`/merchants/base/${address}.json`)
    assert.equal(((await response.json()) as MerchantReport).address, BUSY.address)
  }
})

onSqliteState('a client that has the report gets a 304, by tag or by time', async (state) => {
  const { app } = await open(state)
  for (const path of [`${PAGE}.json`, PAGE, `${PAGE}/badge.svg`]) {
    const first = await app.request(path)
    const tag = first.headers.get('etag') ?? ''
    assert.match(tag, /^"[\w-]{22}"$/)
    assert.equal(first.headers.get('last-modified'), PUBLISHED_AT.toUTCString())
    const ask = async (headers: Record<string, string>) => (await app.request(path, { headers })).status
    assert.equal(await ask({ 'if-none-match': tag }), 304)
    assert.equal(await ask({ 'if-none-match': `"other", W/${tag}` }), 304)
    assert.equal(await ask({ 'if-none-match': '*' }), 304)
    assert.equal(await ask({ 'if-none-match': '"other"' }), 200)
    assert.equal(await ask({ 'if-modified-since': PUBLISHED_AT.toUTCString() }), 304)
    assert.equal(await ask({ 'if-modified-since': new Date(0).toUTCString() }), 200)
    assert.equal(await ask({ 'if-modified-since': 'yesterday' }), 200)
    // RFC 9110 section 13.1.3: If-Modified-Since is ignored when a tag is sent.
    const both = { 'if-none-match': '"other"', 'if-modified-since': PUBLISHED_AT.toUTCString() }
    assert.equal(await ask(both), 200)
  }
})

onSqliteState('a tag is no longer valid after the report has changed', async (state) => {
  const { app } = await open(state)
  const tag = (await app.request(`${PAGE}.json`)).headers.get('etag') ?? ''
  await publishSample(state, laterFigures(30))
  assert.equal((await app.request(`${PAGE}.json`, { headers: { 'if-none-match': tag } })).status, 200)
})

onSqliteState('a report is compressed for clients that accept gzip, with its own tag', async (state) => {
  const { app } = await open(state)
  const plain = await app.request(`${PAGE}.json`, { headers: { 'accept-encoding': 'gzip;q=0, br' } })
  assert.equal(plain.headers.get('content-encoding'), null)
  const packed = await app.request(`${PAGE}.json`, { headers: { 'accept-encoding': 'br, gzip' } })
  assert.equal(packed.headers.get('content-encoding'), 'gzip')
  assert.equal(packed.headers.get('vary'), 'Accept-Encoding')
  assert.equal(gunzipSync(await packed.arrayBuffer()).toString(), await plain.text())
  const tag = packed.headers.get('etag') ?? ''
  assert.notEqual(tag, plain.headers.get('etag'))
  const again = { 'accept-encoding': 'gzip', 'if-none-match': tag }
  assert.equal((await app.request(`${PAGE}.json`, { headers: again })).status, 304)
})

onSqliteState('the page and the badge match the report', async (state, context) => {
  const { app } = await open(state)
  const golden = (name: string) => new URL(`golden/${name}`, import.meta.url).pathname
  const serializers = [(text: string) => text]
  const page = await app.request(PAGE)
  assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self'/)
  context.assert.fileSnapshot(await page.text(), golden('merchant-page.html'), { serializers })
  const badge = await app.request(`${PAGE}/badge.svg`)
  assert.equal(badge.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
  context.assert.fileSnapshot(await badge.text(), golden('badge.svg'), { serializers })
  const ranking = await app.request('/')
  context.assert.fileSnapshot(await ranking.text(), golden('ranking-page.html'), { serializers })
})

onSqliteState('the preview image is a PNG of 1200x630 pixels with a validator', async (state) => {
  const { app } = await open(state)
  const image = await app.request(`${PAGE}/preview.png`)
  const bytes = Buffer.from(await image.arrayBuffer())
  assert.equal(image.headers.get('content-type'), 'image/png')
  // The header chunk begins at byte 8: length, type, width, height.
  assert.deepEqual(
    [bytes.toString('latin1', 1, 4), bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
    ['PNG', 1200, 630],
  )
  const known = { 'if-none-match': image.headers.get('etag') ?? '' }
  assert.equal((await app.request(`${PAGE}/preview.png`, { headers: known })).status, 304)
  assert.match(
    await (await app.request(PAGE)).text(),
    /<meta property="og:image" content="[^"]+preview\.png">/,
  )
})

onSqliteState('two to five merchants are compared', async (state) => {
  const { app } = await open(state)
  const { merchants } = JSON.parse(
    await (await app.request(`/compare.json?merchants=${BUSY.address},${QUIET.address}`)).text(),
  )
  assert.deepEqual(
    merchants.map((each: { address: string; usd: number }) => [each.address, each.usd]),
    [
      [BUSY.address, 9.55],
      [QUIET.address, 0.02],
    ],
  )
  for (const wrong of [BUSY.address, `${BUSY.address},${BUSY.address}`, `${BUSY.address},nobody`])
    assert.equal((await app.request(`/compare.json?merchants=${wrong}`)).status, 400, wrong)
})

onEveryState('evidence is every payment with its verdict, as CSV and as NDJSON', async (state) => {
  const { app, asked } = await open(state)
  const csv = await app.request(`${PAGE}/payments.csv`)
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  assert.equal(
    csv.headers.get('content-disposition'),
    `attachment; filename="${BUSY.address}-2026-11-15.csv"`,
  )
  // 1686789347 + 2 x 53,700,000 = 1794189347 = 2026-11-09 01:55:47 UTC
  const hash = (pair: string) => `0x${pair.repeat(32)}`
  const wallet = (pair: string) => `0x${pair.padStart(40, '0')}`
  assert.equal(
    await csv.text(),
    [
      'block,log_index,time,transaction,buyer,amount_usd,verdict,flag',
      `53700000,7,2026-11-09T01:55:47+00:00,${hash('ab')},${wallet('c1')},0.5,passes,`,
      `53700000,9,2026-11-09T01:55:47+00:00,${hash('ab')},${wallet('c2')},0.01,flagged,tiny_repeat`,
      `53700001,0,2026-11-09T01:55:49+00:00,${hash('cd')},${wallet('a1')},1,flagged,self_pay`,
      '',
    ].join('\r\n'),
  )
  const packed = { headers: { 'accept-encoding': 'gzip' } }
  const lines = gunzipSync(await (await app.request(`${PAGE}/payments.ndjson`, packed)).arrayBuffer())
  assert.equal(JSON.parse(lines.toString().split('\n')[0] ?? '').fee_usd, 0.001)
  assert.deepEqual(JSON.parse(lines.toString().split('\n')[1] ?? ''), {
    block: 53_700_000,
    log_index: 9,
    time: '2026-11-09T01:55:47+00:00',
    transaction: hash('ab'),
    buyer: wallet('c2'),
    amount_usd: 0.01,
    verdict: 'flagged',
    flag: 'tiny_repeat',
  })
  const { startBlock, endBlock, start, end } = sampleFigures().window
  assert.deepEqual(asked[0], { merchant: BUSY.address, window: { startBlock, endBlock, start, end } })
})

onSqliteState('unreadable evidence is a problem, not a truncated file', async (state) => {
  await publishSample(state)
  const { app } = sampleService(state, {
    evidence: {
      // biome-ignore lint/correctness/useYield: the ledger is gone before the first row
      async *payments() {
        throw new Unreachable('the indexer is not there')
      },
    },
  })
  const response = await app.request(`${PAGE}/payments.csv`)
  assert.equal(response.status, 503)
  assert.equal(((await response.json()) as { code: string }).code, 'unavailable')
  assert.equal(response.headers.get('retry-after'), '10')
})
