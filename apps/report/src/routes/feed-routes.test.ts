import assert from 'node:assert/strict'
import { BASE_URL, PUBLISHED_AT, publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, laterFigures, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'

const FEED = '/feed.atom'
const OWN_FEED = `/merchants/base/${BUSY.address}/feed.atom`
const NEXT_WEEK_AT = new Date('2026-11-22T12:00:05Z')

const all = (xml: string, element: string) =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map((match) => match[1])

onEveryState('the feed has one entry per published week, newest first', async (state) => {
  await publishSample(state)
  const { app } = sampleService(state)
  const before = await app.request(FEED)
  assert.equal(before.headers.get('content-type'), 'application/atom+xml; charset=utf-8')
  assert.deepEqual(all(await before.text(), 'id'), ['tag:tollbook.example,2026:weeks'])

  await publishSample(state, sampleFigures({ edition: '2026-11-15' }))
  await publishSample(
    state,
    laterFigures(302_400, { edition: '2026-11-22', merchants: [BUSY] }),
    NEXT_WEEK_AT,
  )
  const response = await app.request(FEED)
  const xml = await response.text()
  assert.deepEqual(all(xml, 'id'), [
    'tag:tollbook.example,2026:weeks',
    'tag:tollbook.example,2026:weeks/2026-11-22/1',
    'tag:tollbook.example,2026:weeks/2026-11-15/1',
  ])
  // 9.545678 and 0.015 reported, 7.345678 and 0.015 real.
  assert.deepEqual(all(xml, 'title').slice(1), [
    'Week to 2026-11-22: $7.35 real of $9.55 reported',
    'Week to 2026-11-15: $7.36 real of $9.56 reported',
  ])
  // The feed itself, then each entry.
  assert.deepEqual(all(xml, 'updated'), [
    '2026-11-22T12:00:05Z',
    '2026-11-22T12:00:05Z',
    '2026-11-15T12:00:05Z',
  ])
  assert.ok(xml.includes(`<link rel="self" type="application/atom+xml" href="${BASE_URL}/feed.atom"/>`))
  assert.ok(xml.includes(`href="${BASE_URL}/?week=2026-11-15&amp;revision=1"/>`))
  assert.equal(response.headers.get('last-modified'), NEXT_WEEK_AT.toUTCString())
  const tag = { 'if-none-match': response.headers.get('etag') ?? '' }
  assert.equal((await app.request(FEED, { headers: tag })).status, 304)
})

onEveryState('a merchant has a feed of its own weeks', async (state) => {
  await publishSample(state)
  const { app } = sampleService(state)
  assert.deepEqual(all(await (await app.request(OWN_FEED)).text(), 'entry'), [])
  await publishSample(state, sampleFigures({ edition: '2026-11-15' }))
  await publishSample(
    state,
    laterFigures(302_400, { edition: '2026-11-22', merchants: [QUIET] }),
    NEXT_WEEK_AT,
  )
  const xml = await (await app.request(OWN_FEED)).text()
  assert.deepEqual(all(xml, 'id'), [
    `tag:tollbook.example,2026:merchants/base/${BUSY.address}`,
    `tag:tollbook.example,2026:merchants/base/${BUSY.address}/2026-11-15/1`,
  ])
  assert.ok(xml.includes('x402 payments to api.weather.example'))
  assert.ok(
    xml.includes(`href="${BASE_URL}/merchants/base/${BUSY.address}?week=2026-11-15&amp;revision=1"/>`),
  )
  assert.deepEqual(all(xml, 'updated')[0], `${PUBLISHED_AT.toISOString().slice(0, 19)}Z`)
})

onSqliteState('a wallet that was never paid has no feed', async (state) => {
  await publishSample(state)
  const { app } = sampleService(state)
  assert.equal((await app.request(`/merchants/base/0x${'9'.repeat(40)}/feed.atom`)).status, 404)
})
