import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseUsd } from '@tollbook/chain/usdc'
import { listingPrice } from '@tollbook/endpoints/documents/listing'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { createOpenaiImages } from '@tollbook/models/images/openai-images'
import { withBreaker } from '@tollbook/models/images/upstream'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { toRequests } from '@tollbook/testing/catalogue/example-requests'
import { type Customer, openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { createDnsResolver } from '@tollbook/utility/dns/dns-resolver'
import type { UtilityPorts } from '@tollbook/utility/ports'
import type { SearchBackend } from '@tollbook/utility/search/search-backend'
import { firstThatAnswers } from '@tollbook/utility/search/upstream/first-that-answers'
import { createSearxng } from '@tollbook/utility/search/upstream/searxng'
import { createLibretranslate } from '@tollbook/utility/translate/backend/libretranslate'
import { createLanguageNames } from '@tollbook/utility/translate/language/language-names'
import { createTranslator } from '@tollbook/utility/translate/translator'
import { defineJob } from '@tollbook/workers/job'
import { createWorkerPool, type WorkerPool } from '@tollbook/workers/pool'
import { buyAll } from './buy-all.ts'
import { asksPage, asksTarget, DOWN, leadTo, startExampleWorld } from './example-world.ts'
import { fromChannel, STOCK_CLIENTS } from './stock-clients.ts'

type Input = Readonly<Record<string, unknown>>

const all = await loadEndpoints(new URL('../../apps/utility/src/', import.meta.url))
const paid = all.filter(({ pricing }) => pricing.kind !== 'free')
/**
 * Items are created before they are read, changed and deleted, and rows are deleted before what holds them.
 */
const ORDER = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE']
const inOrder = paid.toSorted(
  (one, other) =>
    ORDER.indexOf(one.method) - ORDER.indexOf(other.method) || other.path.length - one.path.length,
)
/** A host that no call may reach, such as those of the service's own network. */
const FORBIDDEN = 'inner.example'
/** For these, a target that is down is a valid answer. */
const ANSWERS_FOR_DOWN = new Set(['/api/ping', '/api/uptime/report'])

const rest = defineJob<typeof import('@tollbook/testing/workers/worker-jobs').rest>({
  module: new URL('../../packages/testing/src/workers/worker-jobs.ts', import.meta.url),
  name: 'rest',
  deadlineMs: 600_000,
})

let world: Awaited<ReturnType<typeof startExampleWorld>>
let shop: Shop
let ports: UtilityPorts
let payer: Customer
/** Those of the service, until a test replaces them. */
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
let workersNow: WorkerPool = workers
let searchNow: SearchBackend

before(async () => {
  world = await startExampleWorld(paid)
  const fetch = createSafeFetch({ allowPrivateNetwork: true, refusedHosts: new Set([FORBIDDEN]) })
  const dns = createDnsResolver({ servers: [world.dns], timeoutMs: 5_000, tries: 1 })
  const pool: WorkerPool = {
    run: (job, input, signal) => workersNow.run(job, input, signal),
    waiting: () => workersNow.waiting(),
    close: () => workers.close(),
  }
  searchNow = createSearxng({ url: world.site, fetch })
  const search: SearchBackend = {
    isReady: () => searchNow.isReady(),
    pauseSeconds: () => searchNow.pauseSeconds?.() ?? 0,
    search: (query, signal) => searchNow.search(query, signal),
  }
  shop = await openShop({
    endpoints: all,
    portsOf: (state) => {
      const images = createOpenaiImages({ url: `${world.site}/v1`, fetch, fetchPublic: fetch, sizes: [] })
      const names = createLanguageNames()
      const translator = createTranslator([createLibretranslate({ url: world.site, fetch, names })], names)
      const imageMaker = withBreaker(images)
      ports = utilityPorts(state, { fetch, dns, workers: pool, search, imageMaker, translator })
      return ports
    },
  })
  payer = await shop.newPayer(10_000_000n)
})
after(async () => {
  await shop?.close()
  await workers.close()
  await world?.close()
})

const isSold = (endpoint: Endpoint) => endpoint.availability?.(ports).isAvailable ?? true
const exampleOf = (endpoint: Endpoint) => leadTo(endpoint.example.input as Input, { origin: world.site })

/** The example's path parameters, without which there is no such request. */
const inPathOf = ({ path, example }: Endpoint): Input =>
  Object.fromEntries(Object.entries(example.input as Input).filter(([name]) => path.includes(`{${name}}`)))

/** 503 instead of the terms: nobody can pay. */
async function checkUnsold(endpoint: Endpoint): Promise<void> {
  const [request] = toRequests(endpoint, all, exampleOf(endpoint))
  assert.ok(request)
  const response = await shop.ask(request.path, undefined, request.init)
  assert.equal(response.headers.get('payment-required'), null)
  assert.equal(response.status, 503)
  assert.ok(['not_configured', 'unavailable'].includes(await refusalOf(response)))
}

type Changes = { readonly from?: Customer; readonly query?: string; readonly body?: string }

/** Sends a request with a payment for it; returns the answer and its cost in micro-USDC. */
async function pay(endpoint: Endpoint, input: Input, { from = payer, query = '', body }: Changes = {}) {
  const [request] = toRequests(endpoint, all, input)
  assert.ok(request)
  const path =
    query === '' ? request.path : `${request.path}${request.path.includes('?') ? '&' : '?'}${query}`
  const before = await shop.balanceOf(from.address)
  const payment = await shop.sign(from, path, { method: request.method })
  const response = await shop.ask(path, payment, { ...request.init, ...(body !== undefined && { body }) })
  const code = response.ok ? null : await refusalOf(response)
  const charged = before - (await shop.balanceOf(from.address))
  if (code !== null) assert.equal(charged, 0n, `${response.status} ${code} was charged`)
  return { response, code, charged }
}

function checkCharge({ pricing, ...endpoint }: Endpoint, charged: bigint): void {
  const price = parseUsd(listingPrice({ pricing, ...endpoint }))
  if (pricing.kind !== 'metered') assert.equal(charged, price)
  else assert.ok(charged >= parseUsd(pricing.minimumUsd) && charged <= price, `${charged}`)
}

const isProbe = ({ path }: Endpoint) => ANSWERS_FOR_DOWN.has(path)

function checkDown(endpoint: Endpoint, { charged }: { readonly charged: bigint }, body: unknown): void {
  assert.equal((body as { up: boolean }).up, false)
  checkCharge(endpoint, charged)
}

for (const endpoint of inOrder) {
  const title = `${endpoint.method} ${endpoint.path}`

  test(`${title} answers its example for exactly its price, or reports before payment that it cannot`, async () => {
    if (!isSold(endpoint)) return await checkUnsold(endpoint)
    const { response, code, charged } = await pay(endpoint, exampleOf(endpoint))
    assert.ok(response.ok, `${code}`)
    if (/^application.json/.test(response.headers.get('content-type') ?? ''))
      endpoint.output.parse(await response.json())
    checkCharge(endpoint, charged)
  })

  test(`${title} charges nothing for a request that it cannot read`, async () => {
    if (!isSold(endpoint)) return
    const { code } = await pay(endpoint, exampleOf(endpoint), { query: 'no_such_parameter=1' })
    assert.equal(code, 'unknown_parameter')
    if ('body' in endpoint.input.shape) {
      assert.equal((await pay(endpoint, exampleOf(endpoint), { body: '{' })).response.status, 400)
      return
    }
    const nothing = inPathOf(endpoint)
    if (
      endpoint.input.safeParse(nothing).success &&
      !endpoint.check?.(endpoint.input.parse(nothing), {}, new Map()).length
    )
      return
    assert.equal((await pay(endpoint, nothing)).code, 'invalid_request')
  })

  if (asksTarget(endpoint)) {
    test(`${title} ${isProbe(endpoint) ? 'answers for' : 'charges nothing for'} a target that is down`, async () => {
      const down = await pay(endpoint, leadTo(exampleOf(endpoint), DOWN))
      if (!isProbe(endpoint)) assert.equal(`${down.response.status} ${down.code}`, '502 upstream_failed')
      else checkDown(endpoint, down, await down.response.json())
    })
  }

  if (asksPage(endpoint)) {
    test(`${title} ${isProbe(endpoint) ? 'answers for' : 'charges nothing for'} a page that is not there`, async () => {
      const gone = await pay(endpoint, leadTo(exampleOf(endpoint), { origin: `${world.site}/gone` }))
      if (!isProbe(endpoint)) assert.equal(`${gone.response.status} ${gone.code}`, '502 upstream_failed')
      else checkCharge(endpoint, gone.charged)
    })
  }

  if (asksPage(endpoint)) {
    test(`${title} charges nothing for a host that must not be reached`, async () => {
      const blocked = await pay(endpoint, leadTo(exampleOf(endpoint), { origin: `http://${FORBIDDEN}` }))
      assert.equal(`${blocked.response.status} ${blocked.code}`, '400 invalid_request')
    })
  }

  if (endpoint.path.includes('{') && ['GET', 'PATCH', 'DELETE'].includes(endpoint.method)) {
    test(`${title} charges nothing for an item that the wallet does not have`, async () => {
      const { code } = await pay(endpoint, exampleOf(endpoint), { from: await shop.newPayer() })
      assert.equal(code, 'not_found')
    })
  }
}

const toOrder = (endpoint: Endpoint) => ({
  endpoint,
  request: toRequests(endpoint, all, exampleOf(endpoint))[0] ?? assert.fail(),
})

for (const [name, open] of Object.entries(STOCK_CLIENTS)) {
  test(`${name} buys every endpoint for exactly its price`, async () => {
    const customer = await shop.newPayer(10_000_000n)
    await buyAll(inOrder.filter(isSold).map(toOrder), shop, open(customer, shop), {
      chargeOf: () => shop.balanceOf(customer.address).then((left) => 10_000_000n - left),
      check: checkCharge,
    })
  })
}

test('@x402/fetch buys every endpoint with a fixed price from a channel for exactly its price', async () => {
  const fixed = inOrder.filter((one) => isSold(one) && one.pricing.kind === 'exact')
  const buy = fromChannel(await shop.newPayer(10_000_000n), shop)
  await buyAll(fixed.map(toOrder), shop, buy, {
    chargeOf: () => shop.chargedToChannel(),
    check: checkCharge,
  })
})

/**
 * Calls every endpoint while the threads are in this state; returns those that were refused, all uncharged.
 */
async function askAllWith(pool: WorkerPool, expected: '503 unavailable' | '504 upstream_timeout') {
  workersNow = pool
  const refused: string[] = []
  try {
    for (const endpoint of inOrder.filter((one) => isSold(one))) {
      const { response, code, charged } = await pay(endpoint, exampleOf(endpoint))
      if (code === null) checkCharge(endpoint, charged)
      else if (`${response.status} ${code}` === expected) refused.push(endpoint.path)
      // The rows of other tests are gone.
      else assert.equal(code, 'not_found', `${endpoint.path}: ${response.status} ${code}`)
    }
  } finally {
    workersNow = workers
  }
  return refused
}

/** Answers that need a process of the pool, whatever else is added. */
const IN_POOL = [
  '/api/scrape',
  '/api/summarize',
  '/api/seo/metadata',
  '/api/seo/alt-check',
  '/api/a11y/check',
  '/api/search',
  '/api/timezone',
  '/api/translate-text',
  '/api/generate-image',
]

for (const [state, maxWaiting, deadlineMs, expected] of [
  ['no process is free and no more calls may wait', 0, 60_000, '503 unavailable'],
  ['a process takes longer than it may', 64, 1, '504 upstream_timeout'],
] as const) {
  test(`where ${state}, a caller without an answer is not charged`, async () => {
    const pool = createWorkerPool({ threads: 1, maxWaiting })
    const caller = new AbortController()
    const resting = pool.run(rest, { ms: 600_000 }, caller.signal).catch(() => {})
    const late: WorkerPool = {
      run: (job, input, signal) => pool.run({ ...job, deadlineMs }, input, signal),
      waiting: () => pool.waiting(),
      close: () => pool.close(),
    }
    try {
      const refused = new Set(await askAllWith(late, expected))
      assert.deepEqual(
        IN_POOL.filter((path) => !refused.has(path)),
        [],
      )
    } finally {
      caller.abort()
      await resting
      await pool.close()
    }
  })
}

test('/api/search charges nothing if its upstream fails, and is not sold while the upstream is skipped or missing', async () => {
  const search = paid.find(({ path }) => path === '/api/search')
  assert.ok(search)
  const upstream = searchNow
  try {
    const down = createSearxng({ url: DOWN.origin, fetch: ports.fetch })
    searchNow = firstThatAnswers([down], { failures: 1 })
    assert.equal((await pay(search, exampleOf(search))).code, 'upstream_failed')
    assert.equal(isSold(search), false)
    await checkUnsold(search)
    searchNow = utilityPorts(ports.state).search
    assert.equal(isSold(search), false)
    await checkUnsold(search)
  } finally {
    searchNow = upstream
  }
})
