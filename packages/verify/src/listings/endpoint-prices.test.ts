import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toEndpointPrices } from './endpoint-prices.ts'

const listing = (path: string, price: bigint, ...schemes: string[]) => ({
  resource: `https://shop.example${path}`,
  price,
  schemes: schemes.length === 0 ? ['exact'] : schemes,
})
const pricesOf = (...listings: ReturnType<typeof listing>[]) => [...toEndpointPrices(listings)]

test('a price that two endpoints have belongs to neither', () => {
  assert.deepEqual(pricesOf(listing('/b', 20n), listing('/a', 10n), listing('/c', 20n)), [
    [10n, 'https://shop.example/a'],
  ])
})

test('two methods of one URL at one price are one endpoint, and two prices of one URL are both its own', () => {
  assert.deepEqual(pricesOf(listing('/a', 10n), listing('/a', 10n), listing('/a', 30n)), [
    [10n, 'https://shop.example/a'],
    [30n, 'https://shop.example/a'],
  ])
})

test('the maximum of a metered endpoint is never matched, and no longer unique for a fixed price', () => {
  assert.deepEqual(
    pricesOf(listing('/metered', 50n, 'upto'), listing('/claims', 60n, 'batch-settlement')),
    [],
  )
  assert.deepEqual(pricesOf(listing('/metered', 50n, 'upto'), listing('/fixed', 50n)), [])
  // The price of an offer with two schemes is that of the first.
  assert.deepEqual(pricesOf(listing('/both', 50n, 'exact', 'upto')), [[50n, 'https://shop.example/both']])
})

test('free endpoints and URLs with parameters are not matched, but a price of one is not unique', () => {
  assert.deepEqual(pricesOf(listing('/free', 0n), listing('/pad/:name', 10n), listing('/pad/a', 10n)), [])
})

test('at most a thousand prices are matched, the lowest', () => {
  const many = Array.from({ length: 1_200 }, (_, at) => listing(`/${at}`, BigInt(1_200 - at)))
  const found = pricesOf(...many)
  assert.equal(found.length, 1_000)
  assert.deepEqual(found.at(-1), [1_000n, 'https://shop.example/200'])
})
