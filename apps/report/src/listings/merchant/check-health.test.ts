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
import { BUSY, QUIET } from '@tollbook/testing/report/sample-figures'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { State } from '../../state/state.ts'
import { listingsByPayTo } from '../stored-listings.ts'

/** State and hours since the first visit, by path. */
async function readHealth(state: State, payTo = BUSY.address) {
  const listings = (await listingsByPayTo(state)).get(payTo) ?? []
  const checked = listings.flatMap(({ resource, health }) =>
    health
      ? [[new URL(resource).pathname, health.state, (health.since.getTime() - START_MS) / HOUR_MS] as const]
      : [],
  )
  return checked.sort(([a], [b]) => (a < b ? -1 : 1))
}

const terms = (change: object, extensions?: object): Page => ({
  status: 402,
  body: { x402Version: 1, accepts: [{ ...TERMS, amount: '9999', ...change }], extensions },
})
const offers = (validUntil: number) => ({
  'offer-receipt': {
    info: { offers: [{ format: 'eip712', payload: { payTo: BUSY.address, validUntil }, signature: '0x' }] },
  },
})
const jws = (payload: object) => ({
  'offer-receipt': {
    info: {
      offers: [
        {
          format: 'jws',
          signature: `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`,
        },
      ],
    },
  },
})
const NOW_SECONDS = START_MS / 1000

onEveryState('an unpaid request shows whether a listed endpoint can be paid', async (state, context) => {
  const { origin, requests } = await serveMerchant(context, {
    'GET /payable': challenge('9999'),
    'POST /by-post': challenge('9999'),
    'HEAD /by-head': challenge('9999'),
    'GET /timed': terms({ maxTimeoutSeconds: 60 }, offers(NOW_SECONDS + 60)),
    'GET /endless': terms({ maxTimeoutSeconds: 60 }, offers(0)),
    'GET /no-time': terms({ maxTimeoutSeconds: 0 }),
    'GET /ended': terms({ maxTimeoutSeconds: 60 }, offers(NOW_SECONDS - 60)),
    'GET /ended-jws': terms({}, jws({ payTo: BUSY.address, validUntil: NOW_SECONDS - 60 })),
    'GET /dearer': challenge('10000'),
    'GET /elsewhere': terms({ payTo: QUIET.address }),
    'GET /other-chain': terms({ network: 'eip155:1' }),
    'GET /nonsense': { status: 402, body: 'pay me' },
    'GET /free': { status: 200, body: 'sunny' },
    'GET /strict': { status: 400 },
    'GET /broken': { status: 503 },
  })
  const get = (path: string) => ({ resource: origin + path, operation: 'GET' })
  await listInCatalogue(
    state,
    { resource: `${origin}/by-post`, operation: 'POST' },
    { resource: `${origin}/by-head`, operation: 'HEAD' },
    { resource: `${origin}/by-put`, operation: 'PUT' },
    ...['/payable', '/timed', '/endless', '/no-time', '/ended', '/ended-jws', '/dearer'].map(get),
    ...['/elsewhere', '/other-chain', '/nonsense', '/free', '/strict', '/broken', '/a/:name'].map(get),
  )
  await visit(state)
  assert.deepEqual(
    (await readHealth(state)).map(([path, health]) => [path, health]),
    [
      ['/broken', 'unreachable'],
      ['/by-head', 'payable'],
      ['/by-post', 'payable'],
      ['/dearer', 'price_differs'],
      ['/elsewhere', 'payee_differs'],
      ['/ended', 'expired'],
      ['/ended-jws', 'expired'],
      ['/endless', 'payable'],
      ['/free', 'no_402'],
      ['/no-time', 'expired'],
      ['/nonsense', 'invalid_terms'],
      ['/other-chain', 'invalid_terms'],
      ['/payable', 'payable'],
      ['/strict', 'unclear'],
      ['/timed', 'payable'],
    ],
  )
  for (const { headers } of requests) {
    assert.equal(headers['payment-signature'] ?? headers['x-payment'], undefined)
    assert.match(headers['user-agent'] ?? '', /tollbook/i)
  }
})

onEveryState(
  'an endpoint is requested once a day at most, and since moves only with its state',
  async (state, context) => {
    const pages: Record<string, Page> = {}
    const { origin, requests } = await serveMerchant(context, pages)
    const resources = Array.from({ length: 30 }, (_, at) => `/${String(at).padStart(2, '0')}`)
    for (const path of resources) pages[`GET ${path}`] = challenge('9999')
    await listInCatalogue(state, ...resources.map((path) => ({ resource: origin + path, operation: 'GET' })))
    const requested = async (hours: number) => {
      requests.length = 0
      await visit(state, START_MS + hours * HOUR_MS)
      return requests.filter(({ path }) => /^\/\d/.test(path)).length
    }
    // Twenty in a visit; the others an hour later, and nothing before the day is over.
    assert.equal(await requested(0), 20)
    assert.equal(await requested(1), 10)
    assert.equal(await requested(24), 0)
    assert.deepEqual(new Set((await readHealth(state)).map(([, , hours]) => hours)), new Set([0, 1]))
    pages['GET /00'] = challenge('1')
    assert.equal(await requested(25), 20)
    assert.equal(await requested(26), 10)
    assert.deepEqual((await readHealth(state)).slice(0, 2), [
      ['/00', 'price_differs', 25],
      ['/01', 'payable', 0],
    ])
  },
)

onSqliteState('a host that fails twice in a row makes its endpoints unreachable', async (state, context) => {
  const { origin, close } = await serveMerchant(context, { 'GET /a': challenge('9999') })
  await listInCatalogue(state, { resource: `${origin}/a`, operation: 'GET' })
  await visit(state)
  close()
  await visit(state, START_MS + 24 * HOUR_MS)
  assert.deepEqual(await readHealth(state), [['/a', 'payable', 0]])
  await visit(state, START_MS + 25 * HOUR_MS)
  assert.deepEqual(await readHealth(state), [['/a', 'unreachable', 25]])
})

onSqliteState(
  'what robots.txt disallows is not checked, nor is anything when the check is off',
  async (state, context) => {
    const paths = {
      '/stated': { get: { 'x-payment-info': { price: '0.0025', protocols: [{ x402: TERMS }] } } },
    }
    const pages: Record<string, Page> = {
      '/robots.txt': { body: 'User-agent: tollbook\nDisallow: /private' },
      '/openapi.json': { body: { paths } },
      'GET /stated': challenge('2500'),
    }
    const { origin, paths: requested } = await serveMerchant(context, pages)
    await listInCatalogue(state, `${origin}/private`)
    await visit(state, START_MS, true, { checksHealth: false })
    assert.deepEqual(await readHealth(state), [])
    assert(!requested().includes('GET /stated'))
    await visit(state, START_MS + 24 * HOUR_MS)
    assert.deepEqual(await readHealth(state), [['/stated', 'payable', 24]])
    assert(!requested().some((line) => line.endsWith('/private')))
  },
)
