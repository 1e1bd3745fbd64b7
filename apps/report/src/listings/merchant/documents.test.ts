import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { readChallenge } from './challenge.ts'
import { parseStatedPrice, readOpenApi } from './openapi-document.ts'
import { readWellKnown } from './well-known.ts'

const READ_AT = new Date('2026-11-15T12:00:00Z')
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const PAYEE = '0x00000000000000000000000000000000000000a1'
const BASE = 'https://api.example.com/openapi.json'
const TERMS = { scheme: 'exact', network: 'eip155:8453', asset: USDC, payTo: PAYEE, amount: '2500' }
const PAID = {
  description: 'Weather of a place.',
  'x-payment-info': {
    price: { mode: 'fixed', currency: 'USD', amount: '0.0025' },
    protocols: [{ x402: TERMS }],
  },
}

const openApi = (paths: object, more: object = {}) =>
  readOpenApi({ openapi: '3.1.0', paths, ...more }, BASE, READ_AT)
const resourcesOf = (paths: object, more: object = {}) =>
  openApi(paths, more).listings.map((each) => each.resource)
const answer = (body: unknown, header?: unknown, status = 402) => ({
  status,
  headers: header === undefined ? {} : { 'payment-required': toHeader(header) },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
const toHeader = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const ASKED = {
  resource: 'https://api.example.com/weather',
  operation: 'GET',
  description: 'From the document.',
}

test('an operation with its requirements is a listing', () => {
  assert.deepEqual(openApi({ '/weather': { get: PAID } }), {
    candidates: [],
    listings: [
      {
        resource: 'https://api.example.com/weather',
        host: 'api.example.com',
        payTo: PAYEE,
        price: 2500n,
        schemes: ['exact'],
        description: 'Weather of a place.',
        operation: 'GET',
        lastSeen: READ_AT,
      },
    ],
  })
})

test('variables of a server fill its URL, and are never written beyond the longest URL', () => {
  const at = (url: string, variables: object) =>
    resourcesOf({ '/weather': { get: PAID } }, { servers: [{ url, variables }] })
  const variables = { host: { default: 'api.example.com' }, version: { default: 'v2' } }
  assert.deepEqual(at('https://{host}/{version}', variables), ['https://api.example.com/v2/weather'])
  // As a whole it would have 600 MB, more than a string may have, for each operation.
  assert.deepEqual(at(`/${'{a}'.repeat(600)}`, { a: { default: 'x'.repeat(1_000_000) } }), [])
  assert.deepEqual(at(`/${'x'.repeat(2_100)}`, {}), [])
})

test('an operation without a price is not listed, one without requirements is queried', () => {
  const free = { description: 'Free.' }
  const quoted = { 'x-payment-info': { pricingMode: 'quote', protocols: ['x402'] } }
  const priced = {
    summary: 'Short.',
    'x-payment-info': { pricingMode: 'fixed', price: '$0.01', protocols: ['x402'] },
  }
  const ranged = { 'x-payment-info': { minPrice: '0.01', maxPrice: '0.05', protocols: ['x402'] } }
  const found = openApi({
    '/a': { get: free, post: quoted },
    '/b': { post: priced, put: ranged },
    '/c': null,
  })
  assert.deepEqual(found.listings, [])
  assert.deepEqual(found.candidates, [
    { resource: 'https://api.example.com/b', operation: 'POST', description: 'Short.' },
    { resource: 'https://api.example.com/b', operation: 'PUT', description: '' },
  ])
})

test('requirements without an amount use the price in dollars', () => {
  const { amount: _, ...terms } = TERMS
  const reported = { 'x-payment-info': { price: 0.012, protocols: [{ x402: terms }] } }
  assert.equal(openApi({ '/a': { get: reported } }).listings[0]?.price, 12_000n)
})

// OpenAPI 3.1: the path is appended to the server's URL, which is relative to the document's location.
for (const [servers, resource] of [
  [undefined, 'https://api.example.com/weather'],
  [[], 'https://api.example.com/weather'],
  [[{ url: '/v1' }], 'https://api.example.com/v1/weather'],
  [[{ url: '/v1/' }], 'https://api.example.com/v1/weather'],
  [[{ url: 'v2' }], 'https://api.example.com/v2/weather'],
  [[{ url: 'https://api.example.com' }], 'https://api.example.com/weather'],
  [[{ url: '/{v}', variables: { v: { default: 'v3' } } }], 'https://api.example.com/v3/weather'],
  [[{ url: 'https://other.example' }, { url: '/own' }], 'https://api.example.com/own/weather'],
  [[{ url: 'https://other.example' }], undefined],
  [[{ url: 'http://api.example.com' }], undefined],
  [[{ url: 'https://api.example.com:8443' }], undefined],
  [[{ url: 'https://api.example.com@other.example' }], undefined],
  [[{ url: '//other.example' }], undefined],
] as const) {
  test(`servers ${JSON.stringify(servers)} produce ${resource ?? 'nothing'}`, () => {
    assert.equal(resourcesOf({ '/weather': { get: PAID } }, { servers })[0], resource)
    // A path and an operation may have their own servers.
    assert.equal(resourcesOf({ '/weather': { get: { ...PAID, servers } } })[0], resource)
    assert.equal(resourcesOf({ '/weather': { get: PAID, servers } })[0], resource)
  })
}

test('a path cannot leave the host', () => {
  for (const path of ['//other.example/x', '/\\other.example', '@other.example', 'https://other.example/']) {
    for (const resource of resourcesOf({ [path]: { get: PAID } })) {
      assert.equal(new URL(resource).host, 'api.example.com', path)
    }
  }
})

test('path parameters are written as in catalogues', () => {
  assert.deepEqual(resourcesOf({ '/users/{id}/posts': { get: PAID } }), [
    'https://api.example.com/users/:id/posts',
  ])
})

test('a well-known document lists resources to query, as URLs, paths or with methods', () => {
  const document = {
    version: 1,
    resources: ['https://api.example.com/a', '/b', 'POST /c', 5, null, 'https://other.example/d'],
    endpoints: [{ path: '/e', method: 'put', description: '<b>x</b>\u202e' }],
  }
  assert.deepEqual(readWellKnown(document, 'https://api.example.com/.well-known/x402', READ_AT), {
    listings: [],
    candidates: [
      { resource: 'https://api.example.com/a', operation: '', description: '' },
      { resource: 'https://api.example.com/b', operation: '', description: '' },
      { resource: 'https://api.example.com/c', operation: 'POST', description: '' },
      { resource: 'https://api.example.com/e', operation: 'PUT', description: '<b>x</b>' },
    ],
  })
})

test('a payee in a well-known document is accepted only for resources of its own origin', () => {
  const accepts = [TERMS]
  const resources = [
    { resource: 'https://api.example.com/own', accepts },
    { resource: 'https://victim.example/theirs', accepts },
  ]
  const { listings, candidates } = readWellKnown({ resources }, BASE, READ_AT)
  assert.deepEqual(
    listings.map(({ resource }) => resource),
    ['https://api.example.com/own'],
  )
  assert.deepEqual(candidates, [])
})

test('requirements are read from the header of version 2', () => {
  const challenge = {
    x402Version: 2,
    resource: { url: 'https://api.example.com/weather', description: 'From the answer.' },
    accepts: [TERMS],
    extensions: { bazaar: { info: { input: { type: 'http', method: 'POST' } } } },
  }
  const [listing] = readChallenge(answer('<html>', challenge), ASKED, READ_AT)
  assert.deepEqual(
    [listing?.price, listing?.description, listing?.operation],
    [2500n, 'From the answer.', 'POST'],
  )
})

test('requirements are read from the body of version 1', () => {
  const terms = { ...TERMS, amount: undefined, maxAmountRequired: '300', network: 'base', description: '' }
  const accepts = [{ ...terms, resource: 'https://api.example.com/weather' }]
  const [listing] = readChallenge(answer({ x402Version: 1, error: 'pay', accepts }), ASKED, READ_AT)
  assert.deepEqual([listing?.price, listing?.description], [300n, 'From the document.'])
})

test('a challenge applies to the requested resource, whatever URL it contains', () => {
  const accepts = [{ ...TERMS, resource: 'https://victim.example/x' }]
  for (const resource of [
    'https://victim.example/x',
    { url: 'https://victim.example/x', description: 'Mine.' },
  ]) {
    const [listing] = readChallenge(answer({ accepts, resource }), ASKED, READ_AT)
    assert.equal(listing?.resource, ASKED.resource)
  }
})

test('a response that is not a 402 has no requirements', () => {
  assert.deepEqual(readChallenge(answer({ accepts: [TERMS] }, undefined, 200), ASKED, READ_AT), [])
  for (const body of ['', 'null', '[]', '{"accepts":{}}', '{"accepts":[{"network":"solana"}]}']) {
    assert.deepEqual(readChallenge(answer(body), ASKED, READ_AT), [])
  }
})

for (const [value, price] of [
  ['0.01', 10_000n],
  ['$0.01', 10_000n],
  ['0.01 USD', 10_000n],
  ['0.0000010', 1n],
  [0.002237, 2237n],
  [1, 1_000_000n],
  ['0.0000001', null],
  [1e-7, null],
  ['-1', null],
  ['0,01', null],
  ['free', null],
  [{}, null],
  [Number.NaN, null],
] as const) {
  test(`${JSON.stringify(value)} is ${price ?? 'no price'} in micro-USDC`, () => {
    assert.equal(parseStatedPrice(value), price)
  })
}

test('a document of a megabyte with thousands of servers and operations is read at once', () => {
  const servers = Array.from({ length: 40_000 }, (_, at) => ({ url: `//${at}.example` }))
  const paths = Object.fromEntries(Array.from({ length: 1_990 }, (_, at) => [`/${at}`, { get: PAID }]))
  // Each operation tried each server: 80 million URLs, which took minutes.
  assert.deepEqual(resourcesOf(paths, { servers }), [])
  const own = [...servers, { url: '/v2' }]
  assert.equal(resourcesOf(paths, { servers: own })[7], 'https://api.example.com/v2/7')
  const methods = { ...paths, '/all': { servers: own, get: PAID, GET: PAID, post: { ...PAID, servers: [] } } }
  assert.deepEqual(resourcesOf(methods).slice(-3), [
    'https://api.example.com/v2/all',
    'https://api.example.com/v2/all',
    'https://api.example.com/all',
  ])
})

test('reading any document neither fails nor leaves its own host', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (value, other, name) => {
      const all = [
        readOpenApi(value, BASE, READ_AT),
        readOpenApi(
          { paths: { [name]: { get: { ...PAID, 'x-payment-info': value } } }, servers: other },
          BASE,
          READ_AT,
        ),
        readOpenApi({ paths: { [name]: { get: PAID } } }, BASE, READ_AT),
        readWellKnown(value, BASE, READ_AT),
        readWellKnown(
          { resources: [value, { url: name, accepts: [TERMS] }, name], items: other },
          BASE,
          READ_AT,
        ),
      ]
      readChallenge(answer(value, other), ASKED, READ_AT)
      return all
        .flatMap(({ listings, candidates }) => [...listings, ...candidates])
        .every(({ resource }) => new URL(resource).origin === 'https://api.example.com')
    }),
  )
})
