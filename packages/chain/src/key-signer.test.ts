import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { privateKeyToAccount, privateKeyToAddress, sign } from 'viem/accounts'
import { createKeySigner, createPureSigner, signMessage } from './key-signer.ts'

/** Order of secp256k1 (SEC 2, section 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const WORD = fc.uint8Array({ minLength: 32, maxLength: 32 })
const toHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const
const toKey = (number: bigint) => `0x${number.toString(16).padStart(64, '0')}` as const

test('the address and the signatures of a key are those of viem, with the binding and without', async () => {
  await fc.assert(
    fc.asyncProperty(WORD, WORD, async (secret, digest) => {
      const key = toKey((BigInt(toHex(secret)) % (ORDER - 1n)) + 1n)
      const { r, s, yParity } = await sign({ hash: toHex(digest), privateKey: key })
      for (const signer of [createKeySigner(key), createPureSigner(key)]) {
        assert.equal(signer.address, privateKeyToAddress(key).toLowerCase())
        assert.deepEqual(await signer.sign(digest), { r, s, yParity })
      }
    }),
    { numRuns: 50 },
  )
})

test('a text is signed as by viem', async () => {
  await fc.assert(
    fc.asyncProperty(WORD, fc.string({ unit: 'binary' }), async (secret, message) => {
      const key = toKey((BigInt(toHex(secret)) % (ORDER - 1n)) + 1n)
      const expected = await privateKeyToAccount(key).signMessage({ message })
      assert.equal(await signMessage(createKeySigner(key), message), expected)
    }),
    { numRuns: 50 },
  )
})

test('what is no private key is refused without being quoted', () => {
  for (const key of [
    '0x',
    '0x1234',
    toKey(0n),
    toKey(ORDER),
    toKey(2n ** 256n - 1n),
    `${toKey(1n)}00`,
  ] as const)
    for (const create of [createKeySigner, createPureSigner])
      assert.throws(
        () => create(key),
        (error) =>
          error instanceof TypeError &&
          error.message === 'the key is not a private key of secp256k1' &&
          error.cause === undefined,
        key,
      )
})
