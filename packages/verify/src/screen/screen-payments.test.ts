import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import { placeOf } from './flow/follow-shares.ts'
import { NO_FLOW } from './flow/judge-flow.ts'
import { NO_SCREEN_INPUTS } from './screen.ts'
import { type Screening, screenPayments } from './screen-payments.ts'
import { SCREENS } from './screens.ts'

const SHOP: Address = `0x${'5'.repeat(40)}`
const ANN: Address = `0x${'a'.repeat(40)}`
const BEN: Address = `0x${'b'.repeat(40)}`

/** The merchant gave these buyers some of their money. */
const FLOW = { ...NO_FLOW, linked: new Set([ANN, BEN]) }
const LINKED = {
  ...NO_SCREEN_INPUTS,
  flows: new Map([
    [SHOP, FLOW],
    [BEN, FLOW],
  ]),
}

/** How often each verdict occurred. */
function screenAll(payments: Screening['payments'], known: Partial<Screening> = {}): Record<string, number> {
  const counts: Record<string, number> = {}
  const judging = { payments, outflows: [], screens: SCREENS, inputs: LINKED, ...known }
  for (const verdict of screenPayments(judging))
    counts[verdict ?? 'passes'] = (counts[verdict ?? 'passes'] ?? 0) + 1
  return counts
}

const pay = (count: number, buyer: Address, amount: bigint, merchant = SHOP) =>
  Array.from({ length: count }, (_, logIndex) => ({ buyer, merchant, amount, blockNumber: 1, logIndex }))
const send = (amount: bigint, recipient: Address, sender = SHOP) => ({ sender, recipient, amount })

test('a hundred payments of at most one cent are flagged, ninety-nine are not', () => {
  assert.deepEqual(screenAll(pay(100, ANN, 10_000n)), { tiny_repeat: 100 })
  assert.deepEqual(screenAll(pay(99, ANN, 10_000n)), { passes: 99 })
})

test('larger payments of the same buyer are neither counted nor flagged', () => {
  assert.deepEqual(screenAll([...pay(99, ANN, 10_000n), ...pay(50, ANN, 10_001n)]), { passes: 149 })
  assert.deepEqual(screenAll([...pay(100, ANN, 1_000n), ...pay(50, ANN, 10_001n)]), {
    tiny_repeat: 100,
    passes: 50,
  })
})

test('buyers and merchants are counted separately', () => {
  const spread = [...pay(60, ANN, 1_000n), ...pay(60, BEN, 1_000n), ...pay(60, ANN, 1_000n, BEN)]
  assert.deepEqual(screenAll(spread), { passes: 180 })
})

test('a merchant that pays itself is flagged whatever it pays, and before the repeat screen', () => {
  assert.deepEqual(screenAll([...pay(100, SHOP, 1n), ...pay(1, SHOP, 5_000_000n)]), { self_pay: 101 })
})

test('a disclosed wallet counts as the merchant, for that merchant only', () => {
  const inputs = { ...LINKED, disclosedWallets: new Map([[SHOP, new Set([ANN])]]) }
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
  const paid = [...pay(100, ANN, 1_000n), ...pay(1, ANN, 19_900_000n), ...pay(1, SHOP, 5_000n)]
  const outflows = [send(10_000_000n, ANN), send(5_000n, SHOP)]
  assert.deepEqual(screenAll(paid, { outflows }), { self_pay: 1, round_trip: 101 })
  const inputs = { ...LINKED, disclosedWallets: new Map([[SHOP, new Set([ANN])]]) }
  assert.deepEqual(screenAll(paid, { outflows, inputs }), { self_pay: 102 })
  // 9.999 of 20 dollars is less than half: the hundred tiny payments remain.
  assert.deepEqual(screenAll(paid, { outflows: [send(9_999_000n, ANN)] }), {
    self_pay: 1,
    tiny_repeat: 100,
    passes: 1,
  })
})

test('dust neither trips the repeat screen nor counts towards it', () => {
  assert.deepEqual(screenAll(pay(200, ANN, 999n)), { passes: 200 })
  assert.deepEqual(screenAll([...pay(99, ANN, 1_000n), ...pay(200, ANN, 999n)]), { passes: 299 })
  // From the price of the cheapest listing on a payment counts.
  const inputs = { ...LINKED, listedPrices: new Map([[SHOP, { floor: 500n, highest: 500n, unique: [] }]]) }
  assert.deepEqual(screenAll(pay(100, ANN, 999n), { inputs }), { tiny_repeat: 100 })
  assert.deepEqual(screenAll(pay(100, ANN, 499n), { inputs }), { passes: 100 })
})

test('a customer of its own money passes however often it pays', () => {
  const paid = [...pay(10_000, ANN, 2_500n), ...pay(500, ANN, 10_000n)]
  assert.deepEqual(screenAll(paid, { inputs: NO_SCREEN_INPUTS }), { passes: 10_500 })
  assert.deepEqual(screenAll(paid), { tiny_repeat: 10_500 })
})

test('a payment of 1,000 times the highest listed price passes, and a little more does not', () => {
  const inputs = {
    ...LINKED,
    listedPrices: new Map([[SHOP, { floor: 5_000n, highest: 20_000n, unique: [] }]]),
  }
  assert.deepEqual(screenAll(pay(2, ANN, 20_000_000n), { inputs }), { passes: 2 })
  assert.deepEqual(screenAll([...pay(2, ANN, 20_000_001n), ...pay(1, ANN, 5_000n)], { inputs }), {
    above_listing: 2,
    passes: 1,
  })
  // A claim that states a higher price explains payments up to it.
  const stated = (price: bigint) => ({
    ...LINKED,
    listedPrices: new Map([[SHOP, { floor: 5_000n, highest: 20_000n, stated: price, unique: [] }]]),
  })
  const high = [...pay(1, ANN, 50_000_000n), ...pay(1, ANN, 50_000_001n)]
  assert.deepEqual(screenAll(high, { inputs: stated(50_000_000n) }), { above_listing: 1, passes: 1 })
  assert.deepEqual(screenAll(pay(2, ANN, 20_000_000n), { inputs: stated(1n) }), { passes: 2 })
  // Below ten dollars, or without a listing, nothing is above it.
  const cheap = { ...LINKED, listedPrices: new Map([[SHOP, { floor: 1_000n, highest: 1_000n, unique: [] }]]) }
  assert.deepEqual(screenAll(pay(1, ANN, 9_999_999n), { inputs: cheap }), { passes: 1 })
  assert.deepEqual(screenAll(pay(1, ANN, 10n ** 12n)), { passes: 1 })
})

test('circular payments are flagged one by one, payments of a funded buyer all', () => {
  const paid = [...pay(3, ANN, 50_000n), ...pay(2, BEN, 50_000n)]
  const circular = new Set([placeOf({ blockNumber: 1, logIndex: 2 })])
  const flows = new Map([[SHOP, { circular, funded: new Set([BEN]), linked: new Set([BEN]) }]])
  assert.deepEqual(screenAll(paid, { inputs: { ...NO_SCREEN_INPUTS, flows } }), {
    circular: 1,
    funded_by_merchant: 2,
    passes: 2,
  })
})
