import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devFacilitatorKey, devPayTo } from './dev-accounts.ts'
import type { Hex } from './hex.ts'
import { createKeySigner } from './key-signer.ts'
import { signTransaction } from './sign-transaction.ts'

const signer = createKeySigner(devFacilitatorKey)
const account = privateKeyToAccount(devFacilitatorKey)

type Chosen = { nonce: number; data: Hex; gas: bigint; maxFeePerGas: bigint }

async function compareWithViem({ nonce, data, gas, maxFeePerGas }: Chosen): Promise<void> {
  const call = { to: devPayTo.utility, data }
  const fees = { maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas / 2n }
  const type = 'eip1559'
  const expected = await account.signTransaction({ type, chainId: 8453, nonce, gas, ...call, ...fees })
  const { raw, hash } = await signTransaction(signer, 8453, { nonce, call, gas, fees })
  assert.equal(raw, expected)
  assert.equal(hash, keccak256(raw))
}

test('a transaction is signed byte for byte as viem signs it', async () => {
  assert.equal(signer.address, account.address.toLowerCase())
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 70 }), fc.uint8Array({ minLength: 200, maxLength: 300 }))
  const fields = fc.record({
    nonce: fc.oneof(fc.nat(), fc.nat(300)),
    data: bytes.map((content): Hex => `0x${Buffer.from(content).toString('hex')}`),
    gas: fc.bigInt(21_000n, 16_777_216n),
    maxFeePerGas: fc.bigInt(1n, 10n ** 11n),
  })
  await fc.assert(fc.asyncProperty(fields, compareWithViem), { numRuns: 60 })
})

test('a transaction of a hundred payments is signed as viem signs it', async () => {
  await compareWithViem({ nonce: 7, data: `0x${'ab'.repeat(48_000)}`, gas: 8_560_000n, maxFeePerGas: 3n })
})
