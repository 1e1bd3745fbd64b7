import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { tidToNumber } from './tid.ts'

const DIGITS = '234567abcdefghijklmnopqrstuvwxyz'

test('keys in the TID format of the AT Protocol are 63-bit numbers', () => {
  // interop-test-files/syntax/tid_syntax_valid.txt and _invalid.txt of bluesky-social/atproto.
  assert.equal(tidToNumber('2222222222222'), '0')
  assert.equal(tidToNumber('3zzzzzzzzzzzz'), String(2n ** 61n - 1n))
  // 1 * 32^12 + 17 * 32^11 + ... by `python3 -c`, digit by digit.
  assert.equal(tidToNumber('3jzfcijpj2z2a'), '1728652679052295174')
  for (const none of ['3jzfcijpj2z21', '0000000000000', '3jzfcijpj2z2aa', '3jzfcijpj2z2', '3jzf-cij-pj2z-2a'])
    assert.equal(tidToNumber(none), null, none)
  for (const none of ['zzzzzzzzzzzzz', 'kjzfcijpj2z2a', 'self', ''])
    assert.equal(tidToNumber(none), null, none)
})

test('a key whose highest bit is set has no number, since ids have 63 bits', () => {
  assert.equal(tidToNumber('bzzzzzzzzzzzz'), String(2n ** 63n - 1n))
  assert.equal(tidToNumber('c222222222222'), null)
})

test('numbers have the same order as their keys', () => {
  const first = fc.constantFrom(...DIGITS.slice(0, 8))
  const rest = fc.array(fc.constantFrom(...DIGITS), { minLength: 12, maxLength: 12 })
  const key = fc.tuple(first, rest).map(([one, others]) => one + others.join(''))
  fc.assert(
    fc.property(key, key, (one, other) => {
      const order = BigInt(tidToNumber(one) ?? -1) - BigInt(tidToNumber(other) ?? -1)
      assert.equal(order < 0n, one < other)
      assert.equal(order === 0n, one === other)
    }),
  )
})
