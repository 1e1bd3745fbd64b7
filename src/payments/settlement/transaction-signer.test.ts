import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devFacilitatorKey, devPayTo } from '../../devchain/accounts.ts'
import type { Hex } from '../payment.ts'
import { createTransactionSigner } from './transaction-signer.ts'

test('a transaction is signed byte for byte as viem signs it', async () => {
  const signer = createTransactionSigner(devFacilitatorKey, 8453)
  const account = privateKeyToAccount(devFacilitatorKey)
  assert.equal(signer.address, account.address.toLowerCase())
  const fields = fc.record({
    nonce: fc.nat(),
    data: fc.uint8Array({ maxLength: 900 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`),
    gas: fc.bigInt(21_000n, 16_777_216n),
    maxFeePerGas: fc.bigInt(1n, 10n ** 11n),
  })
  await fc.assert(
    fc.asyncProperty(fields, async ({ nonce, data, gas, maxFeePerGas }) => {
      const call = { to: devPayTo.utility, data }
      const fees = { maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas / 2n }
      const expected = await account.signTransaction({
        type: 'eip1559',
        chainId: 8453,
        nonce,
        gas,
        ...call,
        ...fees,
      })
      const { raw, hash } = await signer.sign({ nonce, call, gas, fees })
      assert.equal(raw, expected)
      assert.equal(hash, keccak256(raw))
    }),
    { numRuns: 60 },
  )
})
