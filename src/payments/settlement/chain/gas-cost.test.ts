import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toGasCost } from './gas-cost.ts'

test('gas is converted to micro-USDC, rounded up', () => {
  // 86,000 * 0.005e-9 ETH * 3,300 dollars = 0.001419 dollars.
  assert.equal(toGasCost(86_000n, 5_000_000n, 3_300), 1_419n)
  // 86,000 * 1e-9 * 3,300 = 0.2838 dollars.
  assert.equal(toGasCost(86_000n, 1_000_000_000n, 3_300), 283_800n)
  assert.equal(toGasCost(1n, 1n, 3_300), 1n)
  assert.equal(toGasCost(86_000n, 1_000_000_000n, 0), 0n)
})
