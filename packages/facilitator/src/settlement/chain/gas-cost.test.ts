import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toCostOfEach, toGasCost } from './gas-cost.ts'

test('gas is converted to micro-USDC, rounded up', () => {
  // 86,000 * 0.005e-9 ETH * 3,300 dollars = 0.001419 dollars.
  assert.equal(toGasCost(86_000n, 5_000_000n, 3_300), 1_419n)
  // 86,000 * 1e-9 * 3,300 = 0.2838 dollars.
  assert.equal(toGasCost(86_000n, 1_000_000_000n, 3_300), 283_800n)
  assert.equal(toGasCost(1n, 1n, 3_300), 1n)
  assert.equal(toGasCost(86_000n, 1_000_000_000n, 0), 0n)
})

test('a transaction costs each of its payments the same, with its data on L1', () => {
  // (4,600,000 gas * 0.006 gwei + 0.9e-6 ETH) * 3,000 dollars = 0.0855 dollars, for 100 payments.
  const receipt = { gasUsed: '0x4630c0', effectiveGasPrice: '0x5b8d80', l1Fee: '0xd18c2e2800' } as const
  assert.equal(toCostOfEach(receipt, 100, 3_000), 855n)
  assert.equal(toCostOfEach({ ...receipt, l1Fee: '0x0' }, 100, 3_000), 828n)
  assert.equal(toCostOfEach(receipt, 100, 0), 0n)
})
