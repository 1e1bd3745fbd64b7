import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '../../chain/hex.ts'
import { roundTrip } from './round-trip.ts'
import { NO_SCREEN_INPUTS } from './screen.ts'
import { type Screening, screenPayments } from './screen-payments.ts'
import { selfPay } from './self-pay.ts'
import { tinyRepeat } from './tiny-repeat.ts'

const SCREENS = [selfPay, roundTrip, tinyRepeat]
const SHOP: Address = `0x${'5'.repeat(40)}`
const ANN: Address = `0x${'a'.repeat(40)}`
const BEN: Address = `0x${'b'.repeat(40)}`

/** How often each verdict occurred. */
function screenAll(payments: Screening['payments'], known: Partial<Screening> = {}): Record<string, number> {
  const counts: Record<string, number> = {}
  const judging = { payments, outflows: [], screens: SCREENS, inputs: NO_SCREEN_INPUTS, ...known }
  for (const verdict of screenPayments(judging))
    counts[verdict ?? 'passes'] = (counts[verdict ?? 'passes'] ?? 0) + 1
  return counts
}

const pay = (count: number, buyer: Address, amount: bigint, merchant = SHOP) =>
  Array.from({ length: count }, () => ({ buyer, merchant, amount }))
const send = (amount: bigint, recipient: Address, sender = SHOP) => ({ sender, recipient, amount })

test('a hundred payments of at most one cent are flagged, ninety-nine are not', () => {
  assert.deepEqual(screenAll(pay(100, ANN, 10_000n)), { tiny_repeat: 100 })
  assert.deepEqual(screenAll(pay(99, ANN, 10_000n)), { passes: 99 })
})

test('larger payments of the same buyer are neither counted nor flagged', () => {
  assert.deepEqual(screenAll([...pay(99, ANN, 10_000n), ...pay(50, ANN, 10_001n)]), { passes: 149 })
  assert.deepEqual(screenAll([...pay(100, ANN, 1n), ...pay(50, ANN, 10_001n)]), {
    tiny_repeat: 100,
    passes: 50,
  })
})

test('buyers and merchants are counted separately', () => {
  const spread = [...pay(60, ANN, 1n), ...pay(60, BEN, 1n), ...pay(60, ANN, 1n, BEN)]
  assert.deepEqual(screenAll(spread), { passes: 180 })
})

test('a merchant that pays itself is flagged whatever it pays, and before the repeat screen', () => {
  assert.deepEqual(screenAll([...pay(100, SHOP, 1n), ...pay(1, SHOP, 5_000_000n)]), { self_pay: 101 })
})

test('a disclosed wallet counts as the merchant, for that merchant only', () => {
  const inputs = { disclosedWallets: new Map([[SHOP, new Set([ANN])]]) }
  assert.deepEqual(screenAll([...pay(2, ANN, 1n), ...pay(3, ANN, 1n, BEN)], { inputs }), {
    self_pay: 2,
    passes: 3,
  })
})

test('all payments of a buyer are flagged when half of their sum was sent back, and none below that', () => {
  // 3 x 7 = 21 micro-USDC, half of which is 10.5.
  const paid = pay(3, ANN, 7n)
  assert.deepEqual(screenAll(paid, { outflows: [send(10n, ANN)] }), { passes: 3 })
  assert.deepEqual(screenAll(paid, { outflows: [send(11n, ANN)] }), { round_trip: 3 })
  assert.deepEqual(screenAll(pay(2, ANN, 10n), { outflows: [send(10n, ANN)] }), { round_trip: 2 })
  assert.deepEqual(screenAll(paid, { outflows: [send(5n, ANN), send(6n, ANN)] }), { round_trip: 3 })
})

test('transfers to another buyer, or from another merchant, do not count as sent back', () => {
  const paid = [...pay(1, ANN, 100n), ...pay(1, BEN, 100n)]
  assert.deepEqual(screenAll(paid, { outflows: [send(100n, BEN)] }), { passes: 1, round_trip: 1 })
  assert.deepEqual(screenAll(paid, { outflows: [send(100n, ANN, BEN)] }), { passes: 2 })
})

test('a payment counts once: paying oneself takes precedence over a round trip, and that over repeats', () => {
  const paid = [...pay(100, ANN, 1n), ...pay(1, ANN, 19_900n), ...pay(1, SHOP, 5n)]
  const outflows = [send(10_000n, ANN), send(5n, SHOP)]
  assert.deepEqual(screenAll(paid, { outflows }), { self_pay: 1, round_trip: 101 })
  const inputs = { disclosedWallets: new Map([[SHOP, new Set([ANN])]]) }
  assert.deepEqual(screenAll(paid, { outflows, inputs }), { self_pay: 102 })
  // 9,999 of 20,000 is less than half: the hundred tiny payments remain.
  assert.deepEqual(screenAll(paid, { outflows: [send(9_999n, ANN)] }), {
    self_pay: 1,
    tiny_repeat: 100,
    passes: 1,
  })
})

test('candidates of a screen are candidates of every screen before it', () => {
  for (const amount of [1n, 10_000n, 10_001n, 10n ** 12n])
    for (const [at, screen] of SCREENS.entries())
      if (screen.isCandidate({ amount }))
        for (const earlier of SCREENS.slice(0, at)) assert(earlier.isCandidate({ amount }), earlier.kind)
})
