import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toListedPrices } from './listed-prices.ts'

const offer = (price: bigint, ...schemes: string[]) => ({
  price,
  schemes,
  resource: `https://shop.example/${price}`,
})

test('counting begins at the lowest fixed price', () => {
  assert.deepEqual(toListedPrices([offer(20_000n, 'exact'), offer(5_000n, 'exact')]), {
    floor: 5_000n,
    highest: 20_000n,
    unique: [5_000n, 20_000n],
  })
  assert.deepEqual(toListedPrices([offer(50n, 'exact')]), {
    floor: 50n,
    highest: 50n,
    unique: [50n],
  })
})

test('a metered price is a maximum, so counting begins at a thousandth of a dollar', () => {
  assert.deepEqual(toListedPrices([offer(60_000n, 'upto')]), {
    floor: 1_000n,
    highest: 60_000n,
    unique: [],
  })
  // A caller of this endpoint chooses how it pays.
  assert.deepEqual(toListedPrices([offer(15_000n, 'exact', 'upto')]), {
    floor: 1_000n,
    highest: 15_000n,
    unique: [15_000n],
  })
  assert.deepEqual(toListedPrices([offer(15_000n, 'exact'), offer(60_000n, 'upto')]), {
    floor: 1_000n,
    highest: 60_000n,
    unique: [15_000n],
  })
  // A scheme that this version does not know may be metered, too.
  assert.equal(toListedPrices([offer(15_000n, 'later')])?.floor, 1_000n)
})

test('a price below a thousandth of a dollar counts, fixed or metered', () => {
  assert.equal(toListedPrices([offer(500n, 'upto'), offer(2_000n, 'exact')])?.floor, 500n)
  assert.equal(toListedPrices([offer(500n, 'exact'), offer(2_000n, 'upto')])?.floor, 500n)
})

test('a free endpoint sets neither bound', () => {
  assert.equal(toListedPrices([offer(0n, 'exact')]), null)
  assert.deepEqual(toListedPrices([offer(0n, 'exact'), offer(7_000n, 'exact')]), {
    floor: 7_000n,
    highest: 7_000n,
    unique: [7_000n],
  })
})
