import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { getAddress } from 'viem'
import { toChecksumAddress } from './checksum-address.ts'
import type { Address } from './hex.ts'

test('the examples of EIP-55 get the capitals of its text', () => {
  for (const example of [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ] as const) {
    assert.equal(toChecksumAddress(example.toLowerCase() as Address), example)
    assert.equal(toChecksumAddress(example), example)
  }
})

test('any address gets the checksum of viem', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const address = `0x${Buffer.from(bytes).toString('hex')}` as const
      assert.equal(toChecksumAddress(address), getAddress(address))
    }),
  )
})
