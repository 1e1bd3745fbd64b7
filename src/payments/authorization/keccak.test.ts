import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keccak256 } from 'viem'
import { fc } from '../../../test/property.ts'
import { createKeccak } from './keccak.ts'

test('the hash of nothing is the one that Ethereum knows', () => {
  // The code hash of an account without code, Ethereum yellow paper section 4.1.
  const empty = 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
  assert.equal(createKeccak()(new Uint8Array()).toString('hex'), empty)
})

test('every length around the borders of blocks hashes as in viem, one after the other', () => {
  const keccak = createKeccak()
  for (let length = 0; length < 420; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 7 + length) & 255)
    assert.equal(`0x${keccak(bytes).toString('hex')}`, keccak256(bytes))
  }
})

test('any bytes hash as in viem, also more than the memory first holds', () => {
  const keccak = createKeccak()
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      assert.equal(`0x${keccak(bytes).toString('hex')}`, keccak256(bytes))
    }),
  )
  const large = new Uint8Array(400_000).fill(0x5a)
  assert.equal(`0x${keccak(large).toString('hex')}`, keccak256(large))
})
