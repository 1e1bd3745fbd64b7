import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { onEveryState } from '../../../test/every-state.ts'
import { createSafeFetch } from '../../fetching/safe-fetch.ts'
import { collectListings } from './collect.ts'
import { readDiscovery } from './discovery.ts'
import { listedPayees, listingsByPayTo } from './stored-listings.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const PAYEE = '0x00000000000000000000000000000000000000a1'
const OTHER = '0x00000000000000000000000000000000000000b2'
const NOW = new Date('2026-11-15T12:00:00Z')
const fetch = createSafeFetch({ allowPrivateNetwork: true })
const logger = pino({ level: 'silent' })
const { signal } = new AbortController()

function item(path: string, change: object = {}) {
  const accept = {
    scheme: 'exact',
    network: 'eip155:8453',
    asset: USDC,
    payTo: PAYEE,
    amount: '1000',
    ...change,
  }
  return { resource: `https://api.example.com${path}`, type: 'http', description: path, accepts: [accept] }
}

type Answer = { readonly status?: number; readonly body: string }

/** A discovery source on loopback whose answer to (limit, offset) is `answer`. */
async function serveSource(context: TestContext, answer: (limit: number, offset: number) => Answer) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams
    const { status = 200, body } = answer(Number(query.get('limit')), Number(query.get('offset')))
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Gives slices of the items, at most `most` a page. */
function pagesOf(items: readonly unknown[], most: number, hasTotal = true) {
  return (limit: number, offset: number): Answer => {
    const shown = items.slice(offset, offset + Math.min(limit, most))
    const pagination = { limit, offset, ...(hasTotal && { total: items.length }) }
    return { body: JSON.stringify({ x402Version: 2, items: shown, pagination }) }
  }
}

const read = (source: string) => readDiscovery({ source, fetch, readAt: NOW, signal })

for (const hasTotal of [true, false]) {
  test(`every page is read where the source ${hasTotal ? 'tells' : 'does not tell'} a total`, async (context) => {
    const items = Array.from({ length: 7 }, (_, index) => item(`/${index}`))
    const { url, asked } = await serveSource(context, pagesOf(items, 3, hasTotal))
    assert.equal((await read(url)).length, 7)
    assert.ok(asked[0]?.startsWith('/discovery/resources?limit='))
    assert.ok(asked.some((path) => path.endsWith('offset=6')))
  })
}

test('a source that ignores the offset is read until it repeats itself', async (context) => {
  const body = JSON.stringify({ x402Version: 1, items: [item('/a'), item('/b')] })
  const { url, asked } = await serveSource(context, () => ({ body }))
  assert.equal((await read(url)).length, 2)
  assert.equal(asked.length, 2)
})

test('an item that comes twice is one listing, with what was seen last', async (context) => {
  const older = { ...item('/a', { amount: '5' }), lastUpdated: '2026-01-01T00:00:00Z' }
  const newer = { ...item('/a', { amount: '6' }), lastUpdated: '2026-02-01T00:00:00Z' }
  const { url } = await serveSource(context, pagesOf([newer, older, null, 'x', {}], 10))
  assert.deepEqual(
    (await read(url)).map(({ price }) => price),
    [6n],
  )
})

onEveryState('what a source offers is stored, and replaced at the next reading', async (state, context) => {
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
      description: '/c',
      operation: '',
      lastSeen: NOW,
    },
  ])
  assert.equal(stored.has(OTHER), false)
})

onEveryState('a source that fails keeps its listings, and the others are read', async (state, context) => {
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

onEveryState('a listing that two sources have counts once, as it was seen last', async (state, context) => {
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
