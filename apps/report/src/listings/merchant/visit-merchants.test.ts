import assert from 'node:assert/strict'
import {
  challenge,
  HOUR_MS,
  listInCatalogue,
  type Page,
  START_MS,
  serveMerchant,
  TERMS,
  visit,
} from '@tollbook/testing/report/merchant-host'
import { BUSY } from '@tollbook/testing/report/sample-figures'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { State } from '../../state/state.ts'
import { listingsByPayTo } from '../stored-listings.ts'
import { readVouchedNames } from '../vouched-names.ts'

const PAID = { description: 'Stated.', 'x-payment-info': { price: '0.0025', protocols: [{ x402: TERMS }] } }
const PRICED = { description: 'Priced.', 'x-payment-info': { price: '0.0025', protocols: ['x402'] } }

async function readListings(state: State, origin: string) {
  const listings = (await listingsByPayTo(state)).get(BUSY.address) ?? []
  return listings
    .map(({ resource, operation, price, source }) =>
      [operation, resource.replace(origin, ''), price, source.replace(origin, '')].join(' '),
    )
    .sort()
}

const readHost = (state: State) =>
  state.db.selectFrom('report_listing_hosts').selectAll().executeTakeFirstOrThrow()

onEveryState('documents and 402 responses become listings with their source', async (state, context) => {
  const first = { ...TERMS, amount: undefined, maxAmountRequired: '300', network: 'base' }
  const { origin, paths } = await serveMerchant(context, {
    '/openapi.json': {
      body: { openapi: '3.1.0', paths: { '/stated': { get: PAID }, '/requests': { post: PRICED } } },
    },
    '/.well-known/x402': { body: { version: 1, resources: ['/by-post'] } },
    'POST /requests': challenge('20'),
    'GET /by-post': { status: 405 },
    'POST /by-post': { status: 402, body: { x402Version: 1, accepts: [first] } },
    'GET /catalogued': challenge('400'),
  })
  await listInCatalogue(state, `${origin}/catalogued`)
  assert.equal(await visit(state), 1)
  assert.deepEqual(await readListings(state, origin), [
    // The catalogue listed 9,999; the merchant's own price takes precedence.
    ' /by-post 300 ',
    ' /catalogued 400 ',
    'GET /stated 2500 /openapi.json',
    'POST /requests 20 ',
  ])
  assert.deepEqual(paths(), [
    'GET /robots.txt',
    'GET /openapi.json',
    'GET /.well-known/x402',
    'POST /requests',
    'GET /by-post',
    'POST /by-post',
    'GET /catalogued',
    // Its terms are known; the request only checks it.
    'GET /stated',
  ])
})

onEveryState(
  'a host is visited again after a day, with conditional requests for its documents',
  async (state, context) => {
    const pages: Record<string, Page> = {
      '/openapi.json': {
        headers: { etag: '"one"', 'last-modified': 'Sun, 15 Nov 2026 00:00:00 GMT' },
        body: { paths: { '/stated': { get: PAID } } },
      },
    }
    const { origin, requests } = await serveMerchant(context, pages)
    await listInCatalogue(state, `${origin}/stated`)
    await visit(state)
    assert.equal(await visit(state, START_MS + 23 * HOUR_MS), 0)
    pages['/openapi.json'] = { status: 304 }
    requests.length = 0
    assert.equal(await visit(state, START_MS + 24 * HOUR_MS), 1)
    const [, document] = requests
    assert.equal(document?.headers['if-none-match'], '"one"')
    assert.equal(document?.headers['if-modified-since'], 'Sun, 15 Nov 2026 00:00:00 GMT')
    assert.deepEqual(await readListings(state, origin), ['GET /stated 2500 /openapi.json'])
    const rows = await state.db.selectFrom('report_listings').select(['source', 'seen_at']).execute()
    const confirmed = rows.find(({ source }) => source.endsWith('/openapi.json'))
    assert.equal(confirmed?.seen_at, START_MS + 24 * HOUR_MS)
  },
)

onSqliteState('a removed document removes its listings, a failing one keeps them', async (state, context) => {
  const pages: Record<string, Page> = { '/openapi.json': { body: { paths: { '/stated': { get: PAID } } } } }
  const { origin } = await serveMerchant(context, pages)
  await listInCatalogue(state, `${origin}/other`)
  const isStated = async () => (await readListings(state, origin)).some((line) => line.includes('/stated'))
  let atMs = START_MS
  const visitWith = async (page: Page) => {
    pages['/openapi.json'] = page
    atMs += 25 * HOUR_MS
    await visit(state, atMs)
    return isStated()
  }
  await visit(state)
  assert.equal(await isStated(), true)
  for (const page of [{ status: 500 }, { body: '<html>' }, { body: ' '.repeat(4_000_001) }]) {
    assert.equal(await visitWith(page), true)
  }
  assert.equal(await visitWith({ status: 404 }), false)
})

onSqliteState('a document under another host name is not trusted', async (state, context) => {
  const document = { body: { paths: { '/stated': { get: PAID } } } }
  const other = await serveMerchant(context, { '/openapi.json': document })
  const elsewhere = other.origin.replace('127.0.0.1', 'localhost')
  const { origin } = await serveMerchant(context, {
    '/openapi.json': { status: 302, headers: { location: `${elsewhere}/openapi.json` } },
    '/.well-known/x402': { body: { resources: [{ resource: `${other.origin}/x`, accepts: [TERMS] }] } },
    'GET /moved': { status: 307, headers: { location: `${other.origin}/openapi.json` } },
  })
  await listInCatalogue(state, `${origin}/moved`)
  await visit(state)
  assert.deepEqual(await readListings(state, origin), [' /moved 9999 https://catalogue.example'])
  // The redirect of a document is followed; that of a resource never is.
  assert.deepEqual(other.paths(), ['GET /openapi.json'])
})

onSqliteState(
  'a host does not confirm its name by redirects from its other ports',
  async (state, context) => {
    const { origin } = await serveMerchant(context, {
      '/openapi.json': { body: { paths: { '/stated': { get: PAID } } } },
    })
    const location = `${origin}/openapi.json`
    const other = await serveMerchant(context, { '/openapi.json': { status: 302, headers: { location } } })
    await listInCatalogue(state, `${origin}/a`, `${other.origin}/b`)
    assert.equal(await visit(state), 2)
    assert.deepEqual(await readVouchedNames(state, []), new Map())
  },
)

onSqliteState('a host is not trusted about payees that no catalogue lists for it', async (state, context) => {
  const victim = { ...TERMS, payTo: '0x00000000000000000000000000000000000000b2' }
  const stated = { 'x-payment-info': { price: '0.0025', protocols: [{ x402: victim }] } }
  const { origin } = await serveMerchant(context, {
    '/openapi.json': { body: { paths: { '/stated': { get: stated } } } },
    '/.well-known/x402': { body: { resources: [{ resource: '/x', accepts: [victim] }, '/requests'] } },
    'GET /requests': { status: 402, body: { accepts: [victim] } },
  })
  await listInCatalogue(state, `${origin}/catalogued`)
  await visit(state)
  assert.deepEqual([...(await listingsByPayTo(state)).keys()], [BUSY.address])
})

onSqliteState('paths that robots.txt disallows are not requested', async (state, context) => {
  const { origin, paths } = await serveMerchant(context, {
    '/robots.txt': { body: 'User-agent: tollbook\nDisallow: /' },
    '/openapi.json': { body: { paths: { '/stated': { get: PAID } } } },
  })
  await listInCatalogue(state, `${origin}/catalogued`)
  assert.equal(await visit(state), 1)
  assert.deepEqual(paths(), ['GET /robots.txt'])
})

onSqliteState('a host on the private network is never contacted', async (state, context) => {
  const { origin, requests } = await serveMerchant(context, {})
  await listInCatalogue(state, `${origin}/catalogued`)
  assert.equal(await visit(state, START_MS, false), 0)
  assert.deepEqual(requests, [])
})

onSqliteState('a host of merchants that were not paid is not contacted', async (state, context) => {
  const { origin, requests } = await serveMerchant(context, {})
  await listInCatalogue(state, `${origin}/catalogued`)
  await state.db.updateTable('reports').set({ is_frozen: 1 }).execute()
  assert.equal(await visit(state), 0)
  assert.deepEqual(requests, [])
})

onSqliteState(
  'a host that is down is retried after one hour, two, four, up to a week',
  async (state, context) => {
    const { origin, close } = await serveMerchant(context, {})
    await listInCatalogue(state, `${origin}/catalogued`)
    close()
    let atMs = START_MS
    // 2^7 hours are 128; the next doubling exceeds the 168 of a week.
    for (const hours of [1, 2, 4, 8, 16, 32, 64, 128, 168, 168]) {
      assert.equal(await visit(state, atMs), 0)
      const { next_visit_at } = await readHost(state)
      assert.equal((next_visit_at - atMs) / HOUR_MS, hours)
      atMs = next_visit_at
    }
  },
)

onSqliteState(
  'a host that asks for a pause gets it, and what was read before is kept',
  async (state, context) => {
    const { origin, paths } = await serveMerchant(context, {
      '/.well-known/x402': { body: { resources: ['/a', '/b', '/c'] } },
      'GET /a': challenge('10'),
      'GET /b': { status: 429, headers: { 'retry-after': '36000' } },
    })
    await listInCatalogue(state, `${origin}/c`)
    assert.equal(await visit(state), 0)
    assert.equal(paths().at(-1), 'GET /b')
    assert.deepEqual(await readListings(state, origin), [' /a 10 ', ' /c 9999 https://catalogue.example'])
    assert.equal((await readHost(state)).next_visit_at, START_MS + 10 * HOUR_MS)
  },
)

onSqliteState(
  'resources that do not fit into one visit are queried in the next, an hour later',
  async (state, context) => {
    const resources = Array.from({ length: 30 }, (_, index) => `GET /${index}`)
    const pages: Record<string, Page> = {
      '/.well-known/x402': { headers: { etag: '"one"' }, body: { resources } },
      ...Object.fromEntries(resources.map((line) => [line, challenge('10')])),
    }
    const { origin, requests } = await serveMerchant(context, pages)
    await listInCatalogue(state, `${origin}/0`)
    const conditional = () => requests.filter(({ headers }) => 'if-none-match' in headers).length
    await visit(state)
    assert.equal((await readListings(state, origin)).length, 20)
    assert.equal((await readHost(state)).next_visit_at, START_MS + HOUR_MS)
    requests.length = 0
    await visit(state, START_MS + HOUR_MS)
    assert.equal((await readListings(state, origin)).length, 30)
    // Until every resource was queried, the document must be sent in full.
    assert.equal(conditional(), 0)
  },
)
