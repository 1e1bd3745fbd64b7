import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { PUBLISHED_AT, publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, laterFigures, QUIET } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { State } from '../state/state.ts'

const PAGE = `/merchants/base/${BUSY.address}`
const JSON_PATH = `${PAGE}.json`
/** Longer than any test: the version is read again only if it has to be. */
const LONG_MS = 3_600_000

async function open(state: State, freshMs = LONG_MS) {
  await publishSample(state)
  return sampleService(state, { freshMs }).app
}

onEveryState('a cached response is identical except for its request id', async (state) => {
  const app = await open(state)
  for (const path of [JSON_PATH, PAGE, '/', '/merchants.csv', `${PAGE}/badge.svg`, '/feed.atom']) {
    for (const headers of [{}, { accept: 'text/html' }, { 'accept-encoding': 'gzip' }]) {
      const [first, second] = [await app.request(path, { headers }), await app.request(path, { headers })]
      const { 'x-request-id': firstId, ...firstHeaders } = Object.fromEntries(first.headers)
      const { 'x-request-id': secondId, ...secondHeaders } = Object.fromEntries(second.headers)
      assert.deepEqual(secondHeaders, firstHeaders, path)
      assert.ok(firstId && secondId && firstId !== secondId)
      assert.deepEqual(await second.arrayBuffer(), await first.arrayBuffer(), path)
    }
  }
})

onSqliteState('a cached response serves 304, gzip and HEAD requests', async (state) => {
  const app = await open(state)
  const plain = await (await app.request(JSON_PATH)).text()
  const packed = await app.request(JSON_PATH, { headers: { 'accept-encoding': 'gzip' } })
  const tag = packed.headers.get('etag') ?? ''
  assert.equal(gunzipSync(await packed.arrayBuffer()).toString(), plain)
  for (const headers of [
    { 'if-none-match': tag, 'accept-encoding': 'gzip' },
    { 'if-none-match': `"other", W/${tag}` },
    { 'if-modified-since': PUBLISHED_AT.toUTCString() },
  ]) {
    const fresh = await app.request(JSON_PATH, { headers: headers as Record<string, string> })
    assert.equal(fresh.status, 304)
    assert.equal(await fresh.text(), '')
    assert.ok(fresh.headers.get('etag') && fresh.headers.get('cache-control'))
    assert.equal(fresh.headers.get('content-type'), null)
  }
  assert.equal((await app.request(JSON_PATH, { headers: { 'if-none-match': '"other"' } })).status, 200)
  const head = await app.request(JSON_PATH, { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.equal(await head.text(), '')
})

onSqliteState('a response first requested conditionally is complete for the next client', async (state) => {
  const app = await open(state)
  const fresh = { headers: { 'if-none-match': '*' } }
  assert.equal((await app.request(JSON_PATH, fresh)).status, 304)
  assert.equal((await app.request(JSON_PATH, fresh)).status, 304)
  const whole = await app.request(JSON_PATH)
  assert.equal(whole.status, 200)
  assert.equal(((await whole.json()) as { address: string }).address, BUSY.address)
})

onSqliteState('other paths, queries and formats have other responses', async (state) => {
  const app = await open(state)
  const read = async (path: string, accept = '*/*') =>
    (await app.request(path, { headers: { accept } })).headers.get('etag')
  const tags = [
    await read(JSON_PATH),
    await read(`/merchants/base/${QUIET.address}.json`),
    await read('/search?q=weather'),
    await read('/search?q=weather', 'text/html'),
    await read('/search?q=nowhere'),
  ]
  assert.equal(new Set(tags).size, tags.length)
})

onEveryState('no response outlives the publication that it was made from', async (state) => {
  const app = await open(state, 1)
  const before = await (await app.request(JSON_PATH)).text()
  await publishSample(state, laterFigures(30), new Date('2026-11-15T12:01:05Z'))
  let after = before
  // The version is read again after the millisecond of its cache lifetime.
  for (let tries = 0; tries < 1000 && after === before; tries += 1)
    after = await (await app.request(JSON_PATH)).text()
  assert.notEqual(after, before)
})

onSqliteState('errors, evidence and disallowed methods are not cached', async (state) => {
  const { app, asked } = sampleService(state, { freshMs: LONG_MS })
  assert.equal((await app.request(JSON_PATH)).status, 404)
  await publishSample(state)
  for (let times = 1; times <= 2; times += 1) {
    assert.equal((await app.request(`${PAGE}/payments.csv`)).status, 200)
    assert.equal(asked.length, times)
  }
  assert.equal((await app.request(JSON_PATH, { method: 'POST' })).status, 405)
})
