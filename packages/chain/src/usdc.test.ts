import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { formatUsd, formatUsdCents, parseUsd, toCents, toExactUsdNumber, toUsdNumber } from './usdc.ts'

test('dollars become micro-USDC without rounding', () => {
  assert.equal(parseUsd('0.002237'), 2237n)
  assert.equal(parseUsd('1'), 1_000_000n)
  assert.equal(parseUsd('0.0025'), 2500n)
})

test('a text that is not a dollar amount with at most six decimals is refused', () => {
  for (const text of ['', '-1', '1.', '.5', '0.0000001', '1e3', ' 1', '1,0', 'NaN'])
    assert.throws(() => parseUsd(text), RangeError, text)
})

test('every amount reads back from what was written', () => {
  fc.assert(fc.property(fc.bigInt(0n, 10n ** 18n), (amount) => parseUsd(formatUsd(amount)) === amount))
})

test('cents are rounded half up', () => {
  assert.equal(toCents(4_999n), 0n)
  assert.equal(toCents(5_000n), 1n)
  assert.equal(toCents(1_014_999n), 101n)
  assert.equal(toUsdNumber(1_015_000n), 1.02)
  assert.equal(formatUsdCents(1_005_000n), '1.01')
  assert.equal(formatUsdCents(0n), '0.00')
})

test('an exact dollar number keeps six decimals', () => {
  assert.equal(toExactUsdNumber(2237n), 0.002237)
  assert.equal(toExactUsdNumber(1_200_000n), 1.2)
})
