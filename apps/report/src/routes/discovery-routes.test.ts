import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import { normaliseItem } from '@tollbook/endpoints/discovery/normalise-item'
import { listen } from '@tollbook/http/server/serve'
import { LISTINGS, PUBLISHED_AT, publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, QUIET } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { withBazaar } from '@x402/extensions/bazaar'
import { pino } from 'pino'
import type { Listing } from '../listings/listing.ts'
import { replaceListings } from '../listings/stored-listings.ts'
import type { State } from '../state/state.ts'

const STRANGER: Address = '0x00000000000000000000000000000000000000c3'
const [CATALOGUE, OTHER_CATALOGUE] = ['https://catalogue.example', 'https://other.example']

function toListing(resource: string, payTo: Address, change: Partial<Listing> = {}): Listing {
  const { host } = new URL(resource)
  const common = { operation: 'GET', description: '', schemes: ['exact'], lastSeen: PUBLISHED_AT }
  return { resource, host, payTo, price: 1_000n, ...common, ...change }
}

/** The stock client against the service, with more listings in two catalogues. */
async function open(state: State, context: TestContext, more: readonly Listing[] = []) {
  await publishSample(state)
  for (const source of [CATALOGUE, OTHER_CATALOGUE])
    await replaceListings(state, source, { listings: more, readAt: PUBLISHED_AT })
  const { app } = sampleService(state)
  const listening = await listen({ app, host: '127.0.0.1', port: 0, logger: pino({ level: 'silent' }) })
  context.after(() => listening.close())
  return withBazaar(new HTTPFacilitatorClient({ url: listening.url })).extensions.bazaar
}

type Figures = { readonly host_confirmed?: boolean; readonly merchant?: Record<string, unknown> | null }

function figuresOf(item: { readonly extensions?: Record<string, unknown> } | undefined): Figures {
  return item?.extensions?.tollbook ?? {}
}

const QUIET_MAP = toListing('https://maps.example/tiles', QUIET.address, { description: 'Map tiles.' })

onEveryState(
  'the stock Bazaar client lists every paid endpoint, highest real revenue first',
  async (state, context) => {
    const unpaid = toListing('https://new.example/search', STRANGER, { schemes: ['upto'], operation: 'POST' })
    const free = toListing('https://new.example/free', STRANGER, { price: 0n })
    const bazaar = await open(state, context, [unpaid, QUIET_MAP, free])
    const { x402Version, items, pagination } = await bazaar.listResources()
    assert.deepEqual([x402Version, pagination], [2, { limit: 20, offset: 0, total: 5 }])
    assert.deepEqual(
      items.map(({ resource }) => resource),
      [
        // 7.345678 dollars are real, so the cheapest of its listings comes first.
        'https://api.weather.example/v1/now?x=%3Cscript%3E',
        'https://api.weather.example/v1/hostile',
        'https://api.weather.example/v1/forecast',
        'https://maps.example/tiles',
        'https://new.example/search',
      ],
    )
    const forecast = items[2]
    assert.deepEqual(forecast?.accepts[0], {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '500000',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: BUSY.address,
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    })
    assert.equal(forecast.serviceName, 'api.weather.example')
    assert.deepEqual(forecast.extensions?.bazaar, { info: { input: { type: 'http', method: 'GET' } } })
    const { host_confirmed, merchant } = figuresOf(forecast)
    assert.equal(host_confirmed, true)
    const { rank, usd, real_usd, effective_buyers, report } = merchant ?? {}
    // 9.545678 squared, divided by the sum of 1.2, 5, 2.345678 and 1 squared, is 2.77.
    assert.deepEqual(
      [rank, usd, real_usd, effective_buyers, report],
      [1, 9.55, 7.35, 2.77, `https://tollbook.example/merchants/base/${BUSY.address}`],
    )
    assert.deepEqual(items[4]?.extensions?.tollbook, { host_confirmed: true, merchant: null })
  },
)

onSqliteState('another Tollbook reads the catalogue without loss', async (state, context) => {
  const bazaar = await open(state, context)
  const { items } = await bazaar.listResources()
  const read = items.flatMap((item) => normaliseItem(item, PUBLISHED_AT))
  const byResource = (a: Listing, b: Listing) => (a.resource < b.resource ? -1 : 1)
  assert.deepEqual(read.toSorted(byResource), LISTINGS.toSorted(byResource))
})

onSqliteState('the stock client filters and pages the list', async (state, context) => {
  const metered = toListing('https://new.example/search', STRANGER, { schemes: ['upto', 'exact'] })
  const tool = toListing('https://new.example/mcp', STRANGER, { operation: 'find_places' })
  const bazaar = await open(state, context, [metered, tool])
  const list = async (params: Parameters<typeof bazaar.listResources>[0]) =>
    (await bazaar.listResources(params)).items.map(({ resource }) => new URL(resource).pathname)
  assert.deepEqual(await list({ scheme: 'upto' }), ['/search'])
  assert.deepEqual(await list({ type: 'mcp' }), ['/mcp'])
  assert.deepEqual(await list({ payTo: STRANGER.toUpperCase().replace('0X', '0x') }), ['/mcp', '/search'])
  assert.equal((await list({ network: 'eip155:8453', extensions: 'tollbook' })).length, 5)
  assert.deepEqual(await list({ network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }), [])
  assert.deepEqual(await list({ extensions: 'other' }), [])
  const pages = [await list({ limit: 2 }), await list({ limit: 2, offset: 2 }), await list({ offset: 4 })]
  assert.deepEqual(pages.flat(), await list({}))
  await assert.rejects(list({ limit: 0 }), /400.*limit must be at least 1/)
  await assert.rejects(list({ payTo: 'me' }), /400.*payTo/)
})

onEveryState('the stock client searches names, URLs and descriptions', async (state, context) => {
  const bazaar = await open(state, context, [
    QUIET_MAP,
    toListing('https://new.example/v2/translate', STRANGER, { description: 'Übersetzt Texte ins Deutsche.' }),
    toListing('https://new.example/v2/pay', STRANGER, {
      description: 'Weather, weather, weather, forecast!',
    }),
  ])
  const search = async (query: string) =>
    (await bazaar.search({ query })).resources.map(({ resource }) => resource)
  assert.equal((await search('What is the weather forecast for Berlin?'))[0], LISTINGS[0]?.resource)
  // Words of a description count less than those of a URL, however often they are repeated.
  assert.equal((await search('weather')).at(-1), 'https://new.example/v2/pay')
  assert.deepEqual(await search('map tile'), ['https://maps.example/tiles'])
  assert.deepEqual(await search('cheap offline vector maps'), ['https://maps.example/tiles'])
  assert.deepEqual(await search('übersetzen'), ['https://new.example/v2/translate'])
  assert.deepEqual(await search('nothing of the kind'), [])
  await assert.rejects(search(' '), /400.*query/)
})

onSqliteState('a search has pages, and shows few listings of one payee in a row', async (state, context) => {
  const flood = Array.from({ length: 8 }, (_, at) =>
    toListing(`https://maps.example/map/${at}`, QUIET.address),
  )
  const rival = toListing('https://new.example/map', STRANGER)
  const bazaar = await open(state, context, [...flood, rival])
  const first = await bazaar.search({ query: 'map', limit: 4 })
  assert.deepEqual(
    first.resources.map(({ resource }) => new URL(resource).pathname),
    ['/map/0', '/map/1', '/map/2', '/map'],
  )
  assert.deepEqual([first.partialResults, first.pagination], [true, { limit: 4, cursor: '4' }])
  const second = await bazaar.search({ query: 'map', limit: 500, cursor: first.pagination?.cursor ?? '' })
  assert.deepEqual([second.resources.length, second.pagination], [5, { limit: 100, cursor: null }])
})

onSqliteState(
  'the revenue of a wallet does not rank an endpoint that only claims it',
  async (state, context) => {
    const bazaar = await open(state, context, [QUIET_MAP])
    // Anyone can get a busy wallet listed under its own host in one catalogue.
    const thief = toListing('https://thief.example/weather', BUSY.address)
    await replaceListings(state, 'https://third.example', { listings: [thief], readAt: PUBLISHED_AT })
    const { items } = await bazaar.listResources()
    assert.equal(items.at(-1)?.resource, thief.resource)
    assert.equal(items.at(-1)?.serviceName, undefined)
    assert.equal(figuresOf(items.at(-1)).host_confirmed, false)
  },
)
