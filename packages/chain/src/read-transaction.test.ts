import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devFacilitatorKey, devPayTo } from './dev-accounts.ts'
import type { Hex } from './hex.ts'
import { readTransaction } from './read-transaction.ts'

const account = privateKeyToAccount(devFacilitatorKey)
const bytes = (options: { minLength?: number; maxLength?: number }) =>
  fc.uint8Array(options).map((content): Hex => `0x${Buffer.from(content).toString('hex')}`)
const word = bytes({ minLength: 32, maxLength: 32 })
const transaction = fc.record({
  type: fc.constant('eip1559' as const),
  chainId: fc.oneof(fc.constant(8453), fc.integer({ min: 1, max: 2 ** 31 })),
  nonce: fc.oneof(fc.nat(), fc.nat(300)),
  gas: fc.bigInt(0n, 16_777_216n),
  maxFeePerGas: fc.bigInt(1n, 10n ** 11n),
  maxPriorityFeePerGas: fc.constantFrom(0n, 1n),
  value: fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 20n)),
  data: fc.oneof(bytes({ maxLength: 70 }), bytes({ minLength: 200, maxLength: 300 })),
  to: fc.constantFrom(devPayTo.utility, undefined),
  accessList: fc.array(
    fc.record({
      address: fc.constant(devPayTo.social),
      storageKeys: fc.array(word, { maxLength: 3 }),
    }),
    { maxLength: 2 },
  ),
})

test('what viem signs is read as viem reads it', async () => {
  await fc.assert(
    fc.asyncProperty(transaction, async (fields) => {
      const raw = await account.signTransaction(fields)
      const expected = parseTransaction(raw)
      const { r, s, ...read } = readTransaction(raw)
      assert.deepEqual(read, {
        chainId: expected.chainId,
        nonce: expected.nonce ?? 0,
        maxPriorityFeePerGas: expected.maxPriorityFeePerGas ?? 0n,
        maxFeePerGas: expected.maxFeePerGas ?? 0n,
        gas: expected.gas ?? 0n,
        to: expected.to ?? null,
        value: expected.value ?? 0n,
        data: expected.data ?? '0x',
        yParity: expected.yParity,
      })
      assert.deepEqual([BigInt(r), BigInt(s)], [BigInt(expected.r ?? 0), BigInt(expected.s ?? 0)])
      assert.deepEqual([r.length, s.length], [66, 66])
    }),
    { numRuns: 60 },
  )
})

test('anything else is refused, and nothing throws another error', async () => {
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: 8453,
    gas: 21_000n,
    to: devPayTo.utility,
  })
  const legacy = await account.signTransaction({ type: 'legacy', chainId: 8453, gas: 21_000n, gasPrice: 1n })
  const refused: readonly Hex[] = ['0x', '0x02', '0x02c0', '0x02f8', `${raw}00`, legacy, '0x02zz', '0x2']
  for (const each of refused) assert.throws(() => readTransaction(each), TypeError, each)
  const unsigned = `0x02cc${'80'.repeat(8)}c0${'80'.repeat(3)}` as const
  assert.throws(() => readTransaction(unsigned), TypeError)
  // Each cut is shorter than its list says.
  for (let length = 2; length < raw.length; length += 2)
    assert.throws(() => readTransaction(raw.slice(0, length) as Hex), TypeError)
  fc.assert(
    fc.property(bytes({ maxLength: 60 }), (content) => {
      try {
        readTransaction(`0x02${content.slice(2)}`)
      } catch (error) {
        assert.ok(error instanceof TypeError)
      }
    }),
  )
})
