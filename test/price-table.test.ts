import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUsd } from '@tollbook/chain/usdc'
import { listingPrice } from '@tollbook/endpoints/documents/listing'
import { loadEndpoints } from '@tollbook/endpoints/load'
import type { PaidService } from './open-service-of.ts'

/** Specification 4.3: path and price in dollars. */
const SOCIAL = {
  '/tweets/by/id': '0.0025',
  '/lists/by/id': '0.0025',
  '/users/by/username': '0.005',
  '/tweets/search': '0.006',
  '/tweets/mentions': '0.006',
  '/tweets/mediaUpload': '0.006',
  '/tweets/user': '0.01',
  '/tweets/quote_tweets': '0.01',
  '/users/followers': '0.01',
  '/tweets/replies': '0.01',
  '/users/search': '0.01',
  '/lists/tweets': '0.01',
  '/users/following': '0.01',
  '/tweets/retweeted_by': '0.01',
  '/tweets': '0.01',
  '/lists/members': '0.01',
  '/articles/by/id': '0.01',
  '/lists/followers': '0.01',
  '/communities/posts': '0.01',
} as const

/** Specification 4.4, without /v1/messages, which is below. */
const UTILITY = {
  '/api/seo/alt-check': '0.001',
  '/api/scrape': '0.001',
  '/api/ping': '0.001',
  '/api/store': '0.001',
  '/api/timezone': '0.001',
  '/api/geo': '0.001',
  '/api/calc': '0.001',
  '/api/a11y/contrast': '0.001',
  '/api/scratchpad': '0.001',
  '/api/seo/metadata': '0.001',
  '/api/summarize': '0.002',
  '/api/dns': '0.002',
  '/api/email/verify': '0.002',
  '/api/icon/search': '0.002',
  '/api/data/convert': '0.005',
  '/api/search': '0.01',
  '/api/qr': '0.01',
  '/api/a11y/check': '0.01',
  '/api/translate-text': '0.01',
  '/api/uptime/report': '0.01',
  '/api/vectorize': '0.02',
  '/api/generate-image': '0.07',
} as const

/** Specification 4.5; /v1/messages is priced in 4.4 and listed with the other model endpoints. */
const INFERENCE = {
  '/v1/messages': '0.01',
  '/v1/chat/completions': '0.002856',
  '/v1/audio/transcriptions': '0.015',
  '/v1/audio/speech': '0.018',
  '/v1/audio/voices': '0',
} as const

/** Specification 4.5, by tier: the price of the plain path, and of the metered one where there is one. */
const TIERS: readonly (readonly [tier: number, plain: string, upto: string | null])[] = [
  [1, '0.002', null],
  [2, '0.002237', '0.015187'],
  [3, '0.003139', '0.004049'],
  [4, '0.005214', '0.041977'],
  [5, '0.005783', '0.043205'],
  [6, '0.007016', '0.044559'],
  [7, '0.007016', null],
  [8, '0.007157', '0.019977'],
  [9, '0.010497', null],
  [10, '0.011974', '0.028233'],
  [11, '0.013259', null],
  [12, '0.01385', null],
  [13, '0.016673', null],
  [14, '0.023386', null],
  [15, '0.037526', null],
]

/** Named by the specification without a price, or paths below one of its endpoints: method, path, price. */
const BESIDE_THE_SPECIFICATION: Readonly<Record<string, string>> = {
  'GET /media/{id}': '0',
  'GET /v1/models': '0',
  'GET /v1/models/{id}': '0',
  'POST /v1/messages/count_tokens': '0',
  // The tiers once more, where SDKs look for them.
  ...Object.fromEntries(TIERS.map(([tier, plain]) => [`POST /v1/_t/tier-${tier}/chat/completions`, plain])),
  ...Object.fromEntries(
    TIERS.map(([tier, , upto]) => [`POST /v1/_t/tier-${tier}/upto/chat/completions`, upto ?? 'not sold']),
  ),
  // The same tiers in the responses dialect, and the default tier.
  'POST /v1/responses': '0.002856',
  ...Object.fromEntries(TIERS.map(([tier, plain]) => [`POST /v1/_t/tier-${tier}/responses`, plain])),
  ...Object.fromEntries(
    TIERS.map(([tier, , upto]) => [`POST /v1/_t/tier-${tier}/upto/responses`, upto ?? 'not sold']),
  ),
  // The tiers and the default one in the messages dialect.
  'POST /v1/_t/default/messages': '0.002856',
  ...Object.fromEntries(TIERS.map(([tier, plain]) => [`POST /v1/_t/tier-${tier}/messages`, plain])),
  'POST /v1/embeddings': '0.001',
  // Chosen: the price of /api/generate-image, for as many pixels.
  'POST /v1/images/generations': '0.07',
  'POST /api/icon/generate': '0.02',
  'POST /api/store/{collection}': '0.005',
  'GET /api/store/{collection}': '0.001',
  'DELETE /api/store/{collection}': '0.001',
  'GET /api/store/{collection}/{id}': '0.001',
  'PUT /api/store/{collection}/{id}': '0.005',
  'PATCH /api/store/{collection}/{id}': '0.005',
  'DELETE /api/store/{collection}/{id}': '0.001',
  'GET /api/store/export': '0.001',
  'PUT /api/scratchpad/{name}': '0.002',
  'POST /api/scratchpad/{name}': '0.002',
  'GET /api/scratchpad/{name}': '0.001',
  'DELETE /api/scratchpad/{name}': '0.001',
}

/** Methods that the specification names. */
const METHODS: Readonly<Record<string, string>> = {
  '/lists/by/id': 'GET',
  '/tweets/quote_tweets': 'GET',
  '/tweets/replies': 'GET',
  '/lists/tweets': 'GET',
  '/tweets/retweeted_by': 'GET',
  '/lists/members': 'GET',
  '/api/data/convert': 'POST',
  '/api/search': 'POST',
  '/api/qr': 'GET',
  '/api/translate-text': 'POST',
  '/api/vectorize': 'POST',
  '/api/generate-image': 'POST',
  '/v1/audio/voices': 'GET',
}

/** Endpoints of the tables that are not built yet; building one removes its name here. */
const PENDING: readonly string[] = []

const TIER_PATH = /^\/v1\/chat\/completions\/_t\/tier-([^/]+)(\/upto)?$/
const TABLES: Readonly<Record<PaidService, Readonly<Record<string, string>>>> = {
  social: SOCIAL,
  utility: UTILITY,
  inference: INFERENCE,
}

const built = (
  await Promise.all(
    (['social', 'utility', 'inference'] as const).map(async (service) => {
      const endpoints = await loadEndpoints(new URL(`../apps/${service}/src/`, import.meta.url))
      return endpoints.map((endpoint) => ({ service, endpoint }))
    }),
  )
).flat()
const tierEndpoints = built.filter(({ endpoint }) => TIER_PATH.test(endpoint.path))
const others = built.filter(({ endpoint }) => !TIER_PATH.test(endpoint.path))

/** A price in micro-USDC, so that 0.01 and 0.010 are one. */
const toAmount = (priceUsd: string) => parseUsd(priceUsd)

/** Prices of the tiers by name and kind, as `tier 2` and `tier 2 upto`. */
const tierPrices: ReadonlyMap<string, bigint> = new Map(
  TIERS.flatMap(([tier, plain, upto]) => [
    [`tier ${tier}`, toAmount(plain)] as const,
    ...(upto === null ? [] : [[`tier ${tier} upto`, toAmount(upto)] as const]),
  ]),
)

/** The name of a tier's endpoint, as above. */
function tierOf(path: string): string {
  const [, number, upto = ''] = TIER_PATH.exec(path) ?? []
  return `tier ${number}${upto.replace('/', ' ')}`
}
const builtTiers = new Map(
  tierEndpoints.map(({ endpoint }) => [tierOf(endpoint.path), toAmount(listingPrice(endpoint))]),
)

test('the tables have as many rows as the specification', () => {
  // 4.3 has 19 rows, 4.4 has 23 of which one is /v1/messages, 4.5 has 4 priced paths and 15 tiers, 7 of them with /upto.
  assert.deepEqual(
    [SOCIAL, UTILITY, INFERENCE].map((table) => Object.keys(table).length),
    [19, 22, 5],
  )
  assert.equal(TIERS.length, 15)
  assert.equal(TIERS.filter(([, , upto]) => upto !== null).length, 7)
})

for (const { service, endpoint } of others) {
  test(`${endpoint.method} ${endpoint.path} costs what the table says`, () => {
    const listed = TABLES[service][endpoint.path]
    const beside = BESIDE_THE_SPECIFICATION[`${endpoint.method} ${endpoint.path}`]
    const expected = listed ?? beside
    assert.ok(expected !== undefined, 'no table lists it')
    assert.equal(toAmount(listingPrice(endpoint)), toAmount(expected))
    const method = METHODS[endpoint.path]
    if (method) assert.equal(endpoint.method, method)
  })
}

for (const [name, amount] of builtTiers) {
  test(`${name} costs what the table says`, () => assert.equal(amount, tierPrices.get(name)))
}

test('what is pending is not built, and what is built is not pending', () => {
  const names = [...others.map(({ endpoint }) => endpoint.path as string), ...builtTiers.keys()]
  const all = [...Object.values(TABLES).flatMap(Object.keys), ...tierPrices.keys()]
  assert.deepEqual(
    all.filter((name) => names.includes(name) === PENDING.includes(name)),
    [],
  )
  assert.deepEqual(
    PENDING.filter((name) => !all.includes(name)),
    [],
  )
})
