import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOf, toListingRecords } from './merchant-listings.ts'
import type { StatedListing } from './stated-listing.ts'

const PAYEE = '0x00000000000000000000000000000000000000a1'

function listing(host: string, path: string, change: Partial<StatedListing> = {}): StatedListing {
  return {
    resource: `https://${host}${path}`,
    host,
    price: 1000n,
    schemes: ['exact'],
    description: 'Weather.',
    operation: 'GET',
    ...change,
  }
}

test('a merchant is named after the host with the highest number of listings', () => {
  assert.equal(
    nameOf(PAYEE, [listing('a.com', '/1'), listing('b.com', '/1'), listing('b.com', '/2')]),
    'b.com',
  )
})

test('www. is not part of a name', () => {
  const listings = [listing('www.b.com', '/1'), listing('b.com', '/2'), listing('a.com', '/1')]
  assert.equal(nameOf(PAYEE, listings), 'b.com')
})

test('www. stays if only a top-level domain would remain', () => {
  assert.equal(nameOf(PAYEE, [listing('www.com', '/')]), 'www.com')
})

for (const [host, name] of [
  ['www.example.com:8443', 'example.com:8443'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['93.184.216.34', '93.184.216.34'],
  ['[2606:4700::1]:8443', '[2606:4700::1]:8443'],
] as const) {
  test(`the host ${host} gives the name ${name}`, () => {
    assert.equal(nameOf(PAYEE, [listing(host, '/')]), name)
  })
}

test('hosts with equally many listings are ordered alphabetically', () => {
  assert.equal(nameOf(PAYEE, [listing('b.com', '/1'), listing('a.com', '/1')]), 'a.com')
})

test('an unlisted merchant is named by its address', () => {
  assert.equal(nameOf(PAYEE, []), PAYEE)
})

test('listings are ordered by price, then by resource', () => {
  const listings = [
    listing('a.com', '/z', { price: 2237n }),
    listing('a.com', '/b'),
    listing('a.com', '/a', { price: 10_000n }),
    listing('a.com', '/a'),
  ]
  assert.deepEqual(
    toListingRecords(listings).map(({ resource, price_usd }) => [resource, price_usd]),
    [
      ['https://a.com/a', 0.001],
      ['https://a.com/b', 0.001],
      ['https://a.com/z', 0.002237],
    ],
  )
})

test('two methods of one URL are one record', () => {
  assert.equal(
    toListingRecords([listing('a.com', '/'), listing('a.com', '/', { operation: 'POST' })]).length,
    1,
  )
})

test('a report shows the 1,000 cheapest listings', () => {
  const listings = Array.from({ length: 1001 }, (_, index) =>
    listing('a.com', `/${index}`, { price: BigInt(2000 - index) }),
  )
  const records = toListingRecords(listings)
  assert.equal(records.length, 1000)
  // The prices are 1,000 to 2,000 micro-USDC; the most expensive is omitted.
  assert.equal(records[0]?.price_usd, 0.001)
  assert.equal(records[999]?.price_usd, 0.001999)
})

test('free endpoints and templates are not listed, and each resource once with its lowest price', () => {
  const listings = [
    listing('a.com', '/free', { price: 0n }),
    listing('a.com', '/receipts/:id', { price: 2000n }),
    listing('a.com', '/media/{id}', { price: 2000n }),
    listing('a.com', '/media/%7Bid%7D', { price: 2000n }),
    listing('a.com', '/pad', { price: 2000n, operation: 'PUT', description: 'Writes.' }),
    listing('a.com', '/pad', { price: 1000n, operation: 'GET', description: 'Reads.' }),
    listing('a.com', '/pad', { price: 1000n, operation: 'HEAD', description: 'Reads.' }),
    // A colon inside a segment is no parameter.
    listing('a.com', '/v1/model:run', { price: 3000n }),
  ]
  assert.deepEqual(toListingRecords(listings), [
    { resource: 'https://a.com/pad', price_usd: 0.001, description: 'Reads.' },
    { resource: 'https://a.com/v1/model:run', price_usd: 0.003, description: 'Weather.' },
  ])
})

test('a description is cut at 240 characters at a word boundary', () => {
  // 60 words of 5 characters with their space: the 48th ends at 239.
  const [record] = toListingRecords([listing('a.com', '/', { description: 'four '.repeat(60).trim() })])
  assert.equal(record?.description, `${'four '.repeat(48).trim()}…`)
})
