import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { after, before, type TestContext, test } from 'node:test'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { toRequests } from '@tollbook/testing/catalogue/example-requests'
import type { Customer, Shop } from '@tollbook/testing/paying/shop'
import { loadAll } from '../soak/errands.ts'
import { type MeasuredHeads, measureHeads } from './measure-heads.ts'
import { openProxy } from './open-proxy.ts'
import { fromChannel, STOCK_CLIENTS } from './stock-clients.ts'
import { openWholeShop } from './whole-shop.ts'

/** The buffer for a head of an upstream is 4,096 bytes in nginx by default (proxy_buffer_size). */
const MAX_RESPONSE_HEAD = 4_000
/** Servers and proxies accept lines of 8 kB; browsers and proxies add headers of their own. */
const MAX_REQUEST_HEAD = 6_000
const PUBLIC_URL = `https://${'a-long-name-of-some-seller'.padEnd(52 - '.example.com'.length, '-x')}.example.com`
const ALIAS_URL = `https://${'another-name-of-the-seller'.padEnd(52 - '.example.com'.length, '-y')}.example.com`
/** Every setting that a 402 shows, as long as it may be. */
const SETTINGS = {
  TOLLBOOK_UTILITY_BASE_URL: PUBLIC_URL,
  TOLLBOOK_UTILITY_ALIASES: `${ALIAS_URL} /api/store/export /api/store/{collection}/{id}`,
  TOLLBOOK_UTILITY_TAGS: Array.from({ length: 5 }, (_, at) => `${at}`.repeat(32)).join(),
  TOLLBOOK_ICON_URL: `https://icons.example/${'i'.repeat(178)}`,
  TOLLBOOK_OFFER_KEY: `0x${'5a'.repeat(32)}`,
}

/** Sold even where nothing is configured that they need. */
const all = [...(await loadAll()).values()]
  .flat()
  .map(({ availability: _, ...endpoint }): Endpoint => endpoint)
const paid = all.filter(({ pricing }) => pricing.kind !== 'free')

/** What the head of an answer, or of its terms, depends on: price, dialect, path, further headers. */
const KINDS = [
  'GET /api/a11y/contrast',
  'POST /api/store/{collection}',
  'GET /api/store/{collection}/{id}',
  'GET /api/store/export',
  'POST /v1/messages',
  'POST /v1/responses',
  'POST /v1/_t/tier-10/upto/chat/completions',
]
const sampled = KINDS.map(
  (kind) => paid.find(({ method, path }) => kind === `${method} ${path}`) ?? assert.fail(kind),
)
let shop: Shop
let measured: ReturnType<typeof measureHeads>
let poor: Customer
before(async () => {
  shop = await openWholeShop(all, { settings: SETTINGS })
  measured = measureHeads(shop.seller.url)
  poor = await shop.newPayer(0n)
})
after(async () => {
  measured?.stop()
  await shop?.close()
})

/** The heads of one answer. */
async function headsOf(send: () => Promise<Response>): Promise<MeasuredHeads> {
  const from = measured.heads.length
  const response = await send()
  await response.arrayBuffer()
  return measured.heads[from] ?? assert.fail('nothing was answered')
}

for (const endpoint of paid)
  test(`${endpoint.method} ${endpoint.path}: the head of its 402 fits through a proxy`, async (t) => {
    const [request] = toRequests(endpoint, all)
    assert.ok(request)
    const ask = (init: RequestInit = {}) =>
      headsOf(() => fetch(`${shop.seller.url}${request.path}`, { ...request.init, ...init }))
    const unpaid = await ask()
    t.diagnostic(`${unpaid.responseBytes}`)
    const headers = { ...request.init.headers, accept: 'text/html' }
    const payment = await shop.sign(poor, request.path, { method: request.method })
    const refused = await headsOf(() => shop.ask(request.path, payment, request.init))
    const page = await ask({ headers })
    assert.deepEqual([unpaid.status, page.status], [402, 402])
    for (const heads of [unpaid, page, refused]) {
      assert.ok(heads.responseBytes <= MAX_RESPONSE_HEAD, `${heads.responseBytes} bytes`)
    }
  })

test('the head of a 402 of another host', async () => {
  const { host } = new URL(ALIAS_URL)
  const from = measured.heads.length
  const [response] = await once(get(`${shop.seller.url}/api/store/export`, { headers: { host } }), 'response')
  assert.match(await readText(response), new RegExp(ALIAS_URL))
  const [heads] = measured.heads.slice(from)
  assert.ok(heads?.status === 402 && heads.responseBytes <= MAX_RESPONSE_HEAD, `${heads?.responseBytes}`)
})

/** Buys those of the sampled endpoints that the client can pay. */
async function buySampled(buy: typeof fetch, url: string): Promise<readonly MeasuredHeads[]> {
  const from = measured.heads.length
  for (const endpoint of sampled) {
    const [request] = toRequests(endpoint, all)
    assert.ok(request)
    const response = await buy(`${url}${request.path}`, request.init).catch(() => null)
    await response?.arrayBuffer()
  }
  return measured.heads.slice(from)
}

function check(heads: readonly MeasuredHeads[], t: TestContext): void {
  const largest = (of: 'requestBytes' | 'responseBytes') => Math.max(...heads.map((one) => one[of]))
  t.diagnostic(`${largest('requestBytes')} ${largest('responseBytes')}`)
  assert.ok(heads.filter(({ status }) => status === 200).length >= 5, 'it could pay for too little')
  for (const { path, status, requestBytes, responseBytes } of heads) {
    assert.ok(requestBytes <= MAX_REQUEST_HEAD, `${path}: a request of ${requestBytes} bytes`)
    assert.ok(responseBytes <= MAX_RESPONSE_HEAD, `${path}: ${status} of ${responseBytes} bytes`)
  }
}

for (const [name, client] of Object.entries({ ...STOCK_CLIENTS, 'channel client': fromChannel }))
  test(`heads of ${name}, and of the answers that it pays for`, async (t) => {
    check(await buySampled(client(await shop.newPayer(), shop), shop.seller.url), t)
  })

test('heads of our own client', async (t) => {
  const proxy = await openProxy(shop)
  check(await buySampled(fetch, proxy.url), t)
  await proxy.close()
})

test('the head of a 402 with the state of a channel, and of what is paid after it', async (t) => {
  const customer = await shop.newPayer()
  const first = await buySampled(fromChannel(customer, shop), shop.seller.url)
  // It has lost its channels.
  check([...first, ...(await buySampled(fromChannel(customer, shop), shop.seller.url))], t)
})

test('the public address and its alias have 60 characters', () => {
  assert.deepEqual([PUBLIC_URL.length, ALIAS_URL.length], [60, 60])
})
