import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { keccak256 } from 'viem'
import { keccak } from './keccak.ts'

test("the hash of the empty input is Ethereum's", () => {
  // The code hash of an account without code (Ethereum yellow paper, section 4.1).
  const empty = 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
  assert.equal(keccak(new Uint8Array()).toString('hex'), empty)
})

test('all lengths around block boundaries hash as in viem, one after another', () => {
  for (let length = 0; length < 420; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 7 + length) & 255)
    assert.equal(`0x${keccak(bytes).toString('hex')}`, keccak256(bytes))
  }
})

test('any input hashes as in viem, also a large one', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      assert.equal(`0x${keccak(bytes).toString('hex')}`, keccak256(bytes))
    }),
  )
  const large = new Uint8Array(400_000).fill(0x5a)
  assert.equal(`0x${keccak(large).toString('hex')}`, keccak256(large))
})
