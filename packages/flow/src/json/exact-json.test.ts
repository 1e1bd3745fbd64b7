import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { isRawNumber, parseExactJson } from './exact-json.ts'

test('a number that a double cannot represent keeps all its digits', () => {
  // 2^53 + 1, the first integer that a double cannot represent, and others that would change, overflow or
  // vanish.
  const texts = [
    '9007199254740993',
    '-123456789012345678901234567890',
    '0.1000000000000000055511151231257827',
    '1e400',
    '-2.5E-400',
  ]
  for (const text of texts) {
    const value = parseExactJson(`{"a":[${text}]}`)
    assert.equal(JSON.stringify(value), `{"a":[${text}]}`)
    assert.ok(isRawNumber((value as { a: unknown[] }).a[0]), text)
  }
})

test('any other number is a plain number, and a string that looks like a long number stays a string', () => {
  const text = '[9007199254740992, 0.1, 1.5e200, 1e2, 0.000000000000001, "12345678901234567890", 1e-9]'
  assert.deepEqual(parseExactJson(text), [
    9007199254740992,
    0.1,
    1.5e200,
    100,
    1e-15,
    '12345678901234567890',
    1e-9,
  ])
  assert.throws(() => parseExactJson('[01234567890123456789]'), SyntaxError)
})

test('a parsed and serialized number keeps its exact value', () => {
  const decimal = fc.tuple(
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
    fc.option(fc.bigInt({ min: 0n, max: 10n ** 30n })),
    fc.option(fc.integer({ min: -400, max: 400 })),
  )
  fc.assert(
    fc.property(decimal, ([whole, fraction, exponent]) => {
      const text = `${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`
      const written = JSON.stringify(parseExactJson(text))
      assert.deepEqual(toValue(written), toValue(text), text)
    }),
  )
})

/**
 * Sign, digits without leading and trailing zeros, and the power of ten of the last digit: equal exactly for
 * equal numbers.
 */
function toValue(text: string): readonly unknown[] {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? assert.fail(text)
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const retained = digits.replace(/0+$/, '')
  if (retained === '') return ['zero']
  return [sign, retained, Number(exponent) - fraction.length + digits.length - retained.length]
}
