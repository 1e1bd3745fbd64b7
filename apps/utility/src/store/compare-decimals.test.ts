import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { compareDecimals } from './compare-decimals.ts'

test('numbers are equal by value, regardless of notation', () => {
  for (const text of ['10', '1e1', '1.0E+1', '100e-1', '0.1e2', '10.000'])
    assert.equal(compareDecimals('10', text), 0, text)
  for (const text of ['0', '-0', '0.00', '0e99', '-0.0e-5']) assert.equal(compareDecimals(text, '0'), 0, text)
})

test('the last of many digits decides, and so does a large exponent', () => {
  assert.equal(compareDecimals('9007199254740993', '9007199254740992'), 1)
  assert.equal(compareDecimals('-9007199254740993', '-9007199254740992'), -1)
  assert.equal(compareDecimals('0.10000000000000000000001', '0.1'), 1)
  assert.equal(compareDecimals('1e400', '9e399'), 1)
  assert.equal(compareDecimals('-1e-400', '0'), -1)
  assert.equal(compareDecimals('1e-99999999999', '1e-99999999998'), -1)
})

test('text that is not a JSON number has no order', () => {
  for (const text of ['', '01', '+1', '.5', '1.', '0x10', 'Infinity', 'NaN', ' 1', `1e${'9'.repeat(31)}`])
    assert.equal(compareDecimals(text, '1'), null, text)
})

test('the order is that of the numbers scaled to integers', () => {
  const part = fc.record({ units: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), shift: fc.nat(30) })
  fc.assert(
    fc.property(part, part, (a, b) => {
      // Times ten to the thirtieth both are integers.
      const [scaledA, scaledB] = [a, b].map(({ units, shift }) => units * 10n ** BigInt(30 - shift))
      const expected = (scaledA ?? 0n) === (scaledB ?? 0n) ? 0 : (scaledA ?? 0n) < (scaledB ?? 0n) ? -1 : 1
      assert.equal(compareDecimals(`${a.units}e-${a.shift}`, `${b.units}e-${b.shift}`), expected)
    }),
  )
})
