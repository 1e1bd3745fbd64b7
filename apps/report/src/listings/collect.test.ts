import assert from 'node:assert/strict'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { type Answer, item, PAYEE, pagesOf, serveSource } from '@tollbook/testing/report/discovery-source'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { pino } from 'pino'
import { CATALOGUES, collectListings } from './collect.ts'
import { deleteUnseen, listedPayees, listingsByPayTo } from './stored-listings.ts'

const OTHER = '0x00000000000000000000000000000000000000b2'
const NOW = new Date('2026-11-15T12:00:00Z')
const fetch = createSafeFetch({ allowPrivateNetwork: true })
const logger = pino({ level: 'silent' })
const { signal } = new AbortController()

onEveryState('listings of a source are stored, and replaced at the next reading', async (state, context) => {
  let items = [item('/a'), item('/b', { payTo: OTHER })]
  const { url } = await serveSource(context, (limit, offset) => pagesOf(items, 10)(limit, offset))
  const collect = () => collectListings({ state, sources: [url], fetch, logger, now: () => NOW, signal })
  assert.deepEqual([...(await collect())], [[url, 2]])
  assert.deepEqual([...(await listedPayees(state))].sort(), [PAYEE, OTHER])
  items = [item('/c', { amount: '7' })]
  await collect()
  const stored = await listingsByPayTo(state)
  assert.deepEqual(stored.get(PAYEE), [
    {
      resource: 'https://api.example.com/c',
      host: 'api.example.com',
      payTo: PAYEE,
      price: 7n,
      schemes: ['exact'],
      description: '/c',
      operation: '',
      lastSeen: NOW,
      source: url,
    },
  ])
  assert.equal(stored.has(OTHER), false)
})

onSqliteState('a failing source keeps its listings, and the others are read', async (state, context) => {
  let failure: Answer | null = null
  const first = await serveSource(
    context,
    (limit, offset) => failure ?? pagesOf([item('/a')], 10)(limit, offset),
  )
  const second = await serveSource(context, pagesOf([item('/b', { payTo: OTHER })], 10))
  const collect = () =>
    collectListings({ state, sources: [first.url, second.url], fetch, logger, now: () => NOW, signal })
  await collect()
  for (const body of ['not json', '{"items":5}', '[]', '']) {
    failure = { body }
    assert.deepEqual([...(await collect()).keys()], [second.url])
  }
  failure = { status: 503, body: '{}' }
  await collect()
  assert.equal((await listingsByPayTo(state)).get(PAYEE)?.[0]?.resource, 'https://api.example.com/a')
  const row = await state.db
    .selectFrom('report_listing_sources')
    .selectAll()
    .where('source', '=', first.url)
    .executeTakeFirstOrThrow()
  assert.equal(row.collected_at, NOW.getTime())
  assert.equal(row.failure, 'Unreachable: the source answered 503')
})

onEveryState('a listing of two sources counts once, as seen last', async (state, context) => {
  const older = await serveSource(
    context,
    pagesOf([{ ...item('/a', { amount: '5' }), lastUpdated: '2026-01-01T00:00:00Z' }], 10),
  )
  const newer = await serveSource(
    context,
    pagesOf([{ ...item('/a', { amount: '6' }), lastUpdated: '2026-02-01T00:00:00Z' }], 10),
  )
  await collectListings({
    state,
    sources: [newer.url, older.url],
    fetch,
    logger,
    now: () => NOW,
    signal,
  })
  assert.deepEqual(
    (await listingsByPayTo(state)).get(PAYEE)?.map(({ price }) => price),
    [6n],
  )
})

onEveryState(
  'a catalogue is read once an hour, and its missing listings expire slowly',
  async (state, context) => {
    let items = [item('/a'), item('/b', { payTo: OTHER })]
    const { url, requests } = await serveSource(context, (limit, offset) => pagesOf(items, 10)(limit, offset))
    let nowMs = NOW.getTime()
    const collect = async (laterMs: number) => {
      nowMs += laterMs
      const now = () => new Date(nowMs)
      await collectListings({ state, sources: [url], policy: CATALOGUES, fetch, logger, now, signal })
      return [...(await listedPayees(state))].sort()
    }
    const hourMs = 3_600_000
    assert.deepEqual(await collect(0), [PAYEE, OTHER])
    await collect(hourMs - 1)
    assert.equal(requests.length, 1)
    items = [item('/a')]
    assert.deepEqual(await collect(1), [PAYEE, OTHER])
    assert.equal(requests.length, 2)
    // Seven days after it was last seen, plus an hour until the next reading.
    assert.deepEqual(await collect(7 * 24 * hourMs - hourMs), [PAYEE, OTHER])
    assert.deepEqual(await collect(hourMs), [PAYEE])
  },
)

onSqliteState('a failing catalogue is retried after ten minutes', async (state, context) => {
  const { url, requests } = await serveSource(context, () => ({ status: 500, body: '' }))
  for (const [minutes, times] of [
    [0, 1],
    [9, 1],
    [10, 2],
  ] as const) {
    const now = () => new Date(NOW.getTime() + minutes * 60_000)
    await collectListings({ state, sources: [url], policy: CATALOGUES, fetch, logger, now, signal })
    assert.equal(requests.length, times)
  }
})

onSqliteState('a catalogue lists no private hosts', async (state, context) => {
  const hosts = ['localhost', '10.0.0.1', '[::1]', 'printer.local', 'intranet', 'api.internal', 'example.com']
  const items = hosts.map((host) => ({ ...item('/'), resource: `https://${host}/` }))
  const { url } = await serveSource(context, pagesOf(items, 10))
  await collectListings({ state, sources: [url], policy: CATALOGUES, fetch, logger, now: () => NOW, signal })
  const listings = (await listingsByPayTo(state)).get(PAYEE)
  assert.deepEqual(
    listings?.map(({ host, source }) => [host, source]),
    [['example.com', url]],
  )
})

onEveryState(
  'listings that were not seen for long are deleted, with sources that failed as long',
  async (state, context) => {
    const { url } = await serveSource(context, pagesOf([item('/a')], 10))
    await collectListings({ state, sources: [url], fetch, logger, now: () => NOW, signal })
    assert.equal(await deleteUnseen(state, NOW), 0)
    assert.equal(await deleteUnseen(state, new Date(NOW.getTime() + 1)), 1)
    assert.equal((await listedPayees(state)).size, 0)
    assert.deepEqual(await state.db.selectFrom('report_listing_sources').selectAll().execute(), [])
  },
)
