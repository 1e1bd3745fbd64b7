import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { hashMessage as hashByViem, recoverMessageAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from './hex.ts'
import { createMessageRecovery, hashMessage } from './message-signer.ts'
import { recoverPurely } from './recover-purely.ts'

const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const recoverMessageSigner = createMessageRecovery(recoverPurely)

test('a text of any letters is hashed as in viem', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (message) => {
      assert.equal(hashMessage(message), hashByViem(message))
    }),
  )
})

test('the signer of a text is found, with a last byte of 27 and 28 and of 0 and 1', async () => {
  for (const message of ['', 'one', 'https://tollbook.example', 'ä'.repeat(99)]) {
    const signature = await account.signMessage({ message })
    assert.equal(await recoverMessageSigner(message, signature), account.address.toLowerCase())
    const short = `${signature.slice(0, 130)}${signature.endsWith('1b') ? '00' : '01'}` as Hex
    assert.equal(await recoverMessageSigner(message, short), account.address.toLowerCase())
    assert.notEqual(await recoverMessageSigner(`${message}.`, signature), account.address.toLowerCase())
  }
})

test('any 65 bytes have the signer of viem, or none', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 64, maxLength: 64 }),
      fc.constantFrom(0, 1, 2, 26, 27, 28, 29, 255),
      async (rs, v) => {
        const signature = `0x${Buffer.from([...rs, v]).toString('hex')}` as const
        const expected = await recoverMessageAddress({ message: 'one', signature }).catch(() => null)
        assert.equal(await recoverMessageSigner('one', signature), expected?.toLowerCase() ?? null)
      },
    ),
    { numRuns: 50 },
  )
})

test('what is not 65 bytes has no signer', async () => {
  const signature = await account.signMessage({ message: 'one' })
  for (const broken of ['0x', signature.slice(0, -2), `${signature}00`, `0xzz${signature.slice(4)}`, 'one'])
    assert.equal(await recoverMessageSigner('one', broken as Hex), null, broken)
})
