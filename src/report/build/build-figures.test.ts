import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openTestLedger } from '../../../test/open-test-ledger.ts'
import { type Address, EVIDENCE, type Payment } from '../chain/payment.ts'
import { isPayment } from '../chain/payment-rule.ts'
import { SCREENS } from '../screen/screens.ts'
import { judgePayments } from '../screen/verdict.ts'
import { buildFigures } from './build-figures.ts'
import { composeReport, toUtcDate } from './compose-report.ts'
import type { MerchantFigures } from './figures.ts'
import { type JudgedPayment, readEvidence } from './read-evidence.ts'
import type { Method } from './visible-payments.ts'

const signal = new AbortController().signal
const ledger = await openTestLedger()
let lastAttempt = 0

/** Sunday 2026-11-15 12:00:01 UTC. */
const END = Date.UTC(2026, 10, 15, 12, 0, 1) / 1000
const START = END - 604_800
const WINDOW = { startBlock: 0, endBlock: 302_400, start: START, end: END, isComplete: true }

const WALLETS = Array.from({ length: 4 }, (_, at): Address => `0x${String(at + 1).repeat(40)}`)
const wallet = fc.constantFrom(...WALLETS)
const amount = fc.oneof(
  { weight: 5, arbitrary: fc.bigInt(1n, 10_000n) },
  { weight: 3, arbitrary: fc.constantFrom(4_999n, 5_000n, 10_000n, 10_001n, 1_000_000n) },
  { weight: 1, arbitrary: fc.bigInt(1n, 2n ** 50n) },
)
/** Payments of one buyer to one merchant: few, or about the hundred at which the repeat screen begins. */
const series = fc
  .record({
    buyer: wallet,
    merchant: wallet,
    amounts: fc.array(amount, { minLength: 1, maxLength: 3 }),
    count: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(99, 100, 101, 150)),
    // Mostly within the window, and at its edges.
    time: fc.oneof(
      fc.integer({ min: START, max: END - 86_400 }),
      fc.constantFrom(START - 1, START, END - 1, END),
    ),
    step: fc.constantFrom(0, 60, 700, 6_000),
    evidence: fc.constantFrom(
      EVIDENCE.authorizationUsed,
      EVIDENCE.authorizationUsed | EVIDENCE.knownFacilitator,
      EVIDENCE.authorizationUsed | EVIDENCE.knownFacilitator,
      EVIDENCE.permit2Proxy,
    ),
  })
  .map(({ buyer, merchant, amounts, count, time, step, evidence }) =>
    Array.from({ length: count }, (_, at) => ({
      buyer,
      merchant,
      evidence,
      amount: amounts[at % amounts.length] ?? 1n,
      timestamp: time + at * step,
    })),
  )
const payments = fc.array(series, { minLength: 3, maxLength: 9 }).map((lists) =>
  lists.flat().map(
    (each, at): Payment => ({
      ...each,
      blockNumber: at >> 1,
      logIndex: at & 1,
      transaction: `0x${at.toString(16).padStart(64, '0')}`,
      facilitator: WALLETS[0] ?? '0x',
    }),
  ),
)
const method: fc.Arbitrary<Method> = fc
  .record({
    listed: fc.subarray(WALLETS),
    disclosed: fc.array(fc.tuple(wallet, fc.subarray(WALLETS)), { maxLength: 2 }),
    screens: fc.constantFrom(SCREENS, SCREENS, SCREENS.slice(1), SCREENS.slice(0, 1), []),
  })
  .map(({ listed, disclosed, screens }) => ({
    screens,
    listedPayees: new Set(listed),
    inputs: { disclosedWallets: new Map(disclosed.map(([owner, own]) => [owner, new Set(own)])) },
  }))

test('figures of any ledger, in any division into chunks, equal what one adds up by hand, and reports keep the invariants', async () => {
  await fc.assert(
    fc.asyncProperty(payments, method, fc.integer({ min: 40, max: 400 }), async (all, rules, chunkRows) => {
      const coverage = await writeChunks(all, chunkRows)
      const selection = { coverage, window: WINDOW, method: rules }
      const figures = await buildFigures(ledger, selection, signal)
      assert.deepEqual(figures, addUp(all, rules))
      figures.forEach(checkInvariants)
    }),
    { numRuns: 25 },
  )
})

test('the evidence of a merchant adds up to its figures, in the order of the chain', async () => {
  await fc.assert(
    fc.asyncProperty(payments, method, async (all, rules) => {
      const coverage = await writeChunks(all, 1_000)
      for (const figures of addUp(all, rules).slice(0, 2)) {
        const selection = { coverage, window: WINDOW, method: rules, merchant: figures.address }
        const rows: JudgedPayment[] = []
        for await (const row of readEvidence(ledger, selection, signal)) rows.push(row)
        const order = rows.map(({ blockNumber, logIndex }) => blockNumber * 2 + logIndex)
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        )
        assert.equal(rows.length, figures.tx)
        for (const { kind, tx, amount } of figures.flags) {
          const flagged = rows.filter(({ flag }) => flag === kind)
          assert.deepEqual([flagged.length, total(flagged)], [tx, amount])
        }
        assert.equal(total(rows.filter(({ flag }) => flag === null)), figures.realAmount)
      }
    }),
    { numRuns: 6 },
  )
})

test('rows of attempts that the coverage does not name are not seen', async () => {
  const [one] = fc.sample(
    payments.filter((list) => list.length > 100),
    1,
  )
  assert(one)
  const coverage = await writeChunks(one, 50)
  const rules = { screens: SCREENS, inputs: { disclosedWallets: new Map() }, listedPayees: new Set(WALLETS) }
  const seen = { ...coverage, attempts: coverage.attempts.slice(1) }
  const figures = await buildFigures(ledger, { coverage: seen, window: WINDOW, method: rules }, signal)
  assert.deepEqual(figures, addUp(one.slice(50), rules))
  const none = { ...coverage, attempts: [] }
  assert.deepEqual(await buildFigures(ledger, { coverage: none, window: WINDOW, method: rules }, signal), [])
})

test('nobody is ranked in an incomplete window', async () => {
  const coverage = await writeChunks([], 1)
  const only: Payment = {
    blockNumber: 1,
    logIndex: 1,
    timestamp: START,
    transaction: `0x${'0'.repeat(64)}`,
    buyer: WALLETS[1] ?? '0x',
    merchant: WALLETS[2] ?? '0x',
    amount: 5n,
    facilitator: WALLETS[0] ?? '0x',
    evidence: EVIDENCE.permit2Proxy,
  }
  const written = await writeChunks([only], 1)
  assert.deepEqual(coverage.attempts, [])
  const rules = {
    screens: SCREENS,
    inputs: { disclosedWallets: new Map() },
    listedPayees: new Set<Address>(),
  }
  const window = { ...WINDOW, isComplete: false }
  const [figures] = await buildFigures(ledger, { coverage: written, window, method: rules }, signal)
  assert.equal(figures?.rank, null)
  assert.equal(figures?.realAmount, 5n)
})

/** What section 2.1 of the specification says of every report, in whole cents. */
function checkInvariants(figures: MerchantFigures): void {
  const report = composeReport({
    figures,
    window: WINDOW,
    generatedAt: new Date(END * 1000),
    name: 'shop.example',
    isClaimed: false,
    listings: [],
    pageUrl: 'https://report.example/page',
    badgeUrl: 'https://report.example/badge',
  })
  assert(report.real_tx <= report.tx)
  assert(report.real_usd <= report.usd)
  assert(report.real_buyers <= report.buyers)
  assert(report.top_buyer_share >= 0 && report.top_buyer_share <= 1)
  const flags = Object.values(report.flags)
  assert.equal(report.tx - report.real_tx, sum(flags.map(({ tx }) => tx)))
  const flaggedCents = sum(flags.map(({ usd }) => Math.round(usd * 100)))
  assert.equal(Math.round(report.usd * 100) - Math.round(report.real_usd * 100), flaggedCents)
  if (flags.length === 0) {
    const { tx, usd, buyers } = report
    assert.deepEqual([report.real_tx, report.real_usd, report.real_buyers], [tx, usd, buyers])
  }
  assert(report.paid.p25 <= report.paid.median && report.paid.median <= report.paid.p75)
  assert.equal(sum(report.daily.map(({ tx }) => tx)), report.tx)
  assert(report.daily.length >= 1 && report.daily.length <= 8)
  const dates = report.daily.map(({ date }) => date)
  assert.deepEqual(dates, [...new Set(dates)].sort())
}

/** Writes payments in chunks of so many rows, each under an attempt of its own. */
async function writeChunks(all: readonly Payment[], rows: number) {
  const attempts: number[] = []
  for (let at = 0; at < all.length; at += rows) {
    lastAttempt++
    attempts.push(lastAttempt)
    await ledger.insert(lastAttempt, all.slice(at, at + rows), signal)
  }
  return { firstBlock: 0, endBlock: 1_000_000, attempts }
}

/** The figures by the wording of the specification, one merchant after the other. */
function addUp(all: readonly Payment[], rules: Method): readonly MerchantFigures[] {
  const counted = all.filter(
    (payment) =>
      payment.timestamp >= START && payment.timestamp < END && isPayment(payment, rules.listedPayees),
  )
  const verdicts = judgePayments(counted, rules.screens, rules.inputs)
  const judged = counted.map((payment, at) => ({ ...payment, flag: verdicts[at] ?? null }))
  const byMerchant = [...Map.groupBy(judged, ({ merchant }) => merchant)].map(([address, own]) => {
    const real = own.filter(({ flag }) => flag === null)
    const ofBuyers = [...Map.groupBy(own, ({ buyer }) => buyer).values()].map(total)
    const flags = rules.screens
      .map(({ kind }) => ({ kind, flagged: own.filter(({ flag }) => flag === kind) }))
      .filter(({ flagged }) => flagged.length > 0)
    const dates = [...Map.groupBy(own, ({ timestamp }) => toUtcDate(timestamp))]
    return {
      address,
      tx: own.length,
      amount: total(own),
      realTx: real.length,
      realAmount: total(real),
      buyers: ofBuyers.length,
      realBuyers: new Set(real.map(({ buyer }) => buyer)).size,
      topBuyerAmount: ofBuyers.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n,
      flags: flags.map(({ kind, flagged }) => ({ kind, tx: flagged.length, amount: total(flagged) })),
      paid: {
        p25: percentile(own, 1, 4),
        median: percentile(own, 1, 2),
        p75: percentile(own, 3, 4),
        medianPassing: percentile(real, 1, 2),
      },
      daily: dates
        .map(([date, ofDate]) => ({
          date,
          tx: ofDate.length,
          amount: total(ofDate),
          realAmount: total(ofDate.filter(({ flag }) => flag === null)),
        }))
        .sort((a, b) => (a.date < b.date ? -1 : 1)),
    }
  })
  const ranked = byMerchant.sort((a, b) =>
    a.realAmount !== b.realAmount
      ? Number(b.realAmount > a.realAmount) - 0.5
      : b.realTx - a.realTx || (a.address < b.address ? -1 : 1),
  )
  return ranked.map((merchant, at) => ({ ...merchant, rank: merchant.realAmount > 0n ? at + 1 : null }))
}

/** The smallest amount at or below which numerator/denominator of the payments lie; 0 of none. */
function percentile(own: readonly { readonly amount: bigint }[], numerator: number, denominator: number) {
  const sorted = own.map(({ amount }) => amount).sort((a, b) => (a < b ? -1 : 1))
  return sorted[Math.ceil((sorted.length * numerator) / denominator) - 1] ?? 0n
}

function total(own: readonly { readonly amount: bigint }[]): bigint {
  return own.reduce((rest, { amount }) => rest + amount, 0n)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((rest, each) => rest + each, 0)
}
