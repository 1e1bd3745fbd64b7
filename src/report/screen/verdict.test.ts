import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '../chain/payment.ts'
import { NO_SCREEN_INPUTS } from './screen.ts'
import { SCREENS } from './screens.ts'
import { judgePayments } from './verdict.ts'

const SHOP: Address = `0x${'5'.repeat(40)}`
const ANN: Address = `0x${'a'.repeat(40)}`
const BEN: Address = `0x${'b'.repeat(40)}`

/** How often each verdict came. */
function judge(
  payments: Parameters<typeof judgePayments>[0],
  inputs = NO_SCREEN_INPUTS,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const verdict of judgePayments(payments, SCREENS, inputs))
    counts[verdict ?? 'passes'] = (counts[verdict ?? 'passes'] ?? 0) + 1
  return counts
}

const pay = (count: number, buyer: Address, amount: bigint, merchant = SHOP) =>
  Array.from({ length: count }, () => ({ buyer, merchant, amount }))

test('a hundred payments of at most one cent are flagged, ninety-nine are not', () => {
  assert.deepEqual(judge(pay(100, ANN, 10_000n)), { tiny_repeat: 100 })
  assert.deepEqual(judge(pay(99, ANN, 10_000n)), { passes: 99 })
})

test('larger payments of the same buyer are neither counted nor flagged', () => {
  assert.deepEqual(judge([...pay(99, ANN, 10_000n), ...pay(50, ANN, 10_001n)]), { passes: 149 })
  assert.deepEqual(judge([...pay(100, ANN, 1n), ...pay(50, ANN, 10_001n)]), { tiny_repeat: 100, passes: 50 })
})

test('buyers and merchants are counted apart', () => {
  const spread = [...pay(60, ANN, 1n), ...pay(60, BEN, 1n), ...pay(60, ANN, 1n, BEN)]
  assert.deepEqual(judge(spread), { passes: 180 })
})

test('a merchant that pays itself is flagged whatever it pays, and before the repeat screen', () => {
  assert.deepEqual(judge([...pay(100, SHOP, 1n), ...pay(1, SHOP, 5_000_000n)]), { self_pay: 101 })
})

test('a wallet that a merchant has disclosed counts as the merchant, for that merchant alone', () => {
  const inputs = { disclosedWallets: new Map([[SHOP, new Set([ANN])]]) }
  assert.deepEqual(judge([...pay(2, ANN, 1n), ...pay(3, ANN, 1n, BEN)], inputs), { self_pay: 2, passes: 3 })
})

test('candidates of a screen are candidates of every screen before it', () => {
  for (const amount of [1n, 10_000n, 10_001n, 10n ** 12n])
    for (const [at, screen] of SCREENS.entries())
      if (screen.isCandidate({ amount }))
        for (const earlier of SCREENS.slice(0, at)) assert(earlier.isCandidate({ amount }), earlier.kind)
})
