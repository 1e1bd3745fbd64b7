import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { fc } from '@tollbook/testing/property'
import { isSame } from './is-same.ts'

const value = fc.anything({ withBigInt: true, withNullPrototype: false })

test('values are the same exactly if Node finds them deeply equal', () => {
  fc.assert(
    fc.property(value, value, (one, other) => {
      assert.equal(isSame(one, other), isDeepStrictEqual(one, other))
      return isSame(one, structuredClone(one))
    }),
  )
})

test('a missing member is not one that is undefined', () => {
  assert.equal(isSame({ a: undefined }, { b: undefined }), false)
  assert.equal(isSame([1, { b: 2n, a: [] }], [1, { a: [], b: 2n }]), true)
  assert.equal(isSame([], {}), false)
})
