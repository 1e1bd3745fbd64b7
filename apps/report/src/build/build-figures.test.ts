import assert from 'node:assert/strict'
import type { Address } from '@tollbook/chain/hex'
import { onEveryLedger } from '@tollbook/testing/ledger/every-ledger'
import { arbitrarySendings, toOutflows, toPlace } from '@tollbook/testing/ledger/random-outflows'
import {
  arbitraryMethod,
  arbitraryPayments,
  arbitraryWallet,
  END,
  findEarlierBuyers,
  START,
  WALLETS,
  WINDOW,
} from '@tollbook/testing/ledger/random-payments'
import { fc, slowRuns } from '@tollbook/testing/property'
import { checkInvariants } from '@tollbook/testing/report/report-invariants'
import { addUpFigures } from '@tollbook/verify/build/add-up-figures'
import { toUtcDate } from '@tollbook/verify/build/compose-report'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import { EVIDENCE, type Payment } from '@tollbook/verify/chain/payment'
import { isPayment } from '@tollbook/verify/chain/payment-rule'
import type { Transfer } from '@tollbook/verify/chain/transfer'
import { floorOf } from '@tollbook/verify/screen/counting-floor'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { screenPayments } from '@tollbook/verify/screen/screen-payments'
import { SCREENS } from '@tollbook/verify/screen/screens'
import type { Ledger } from '../ledger/ledger.ts'
import { buildFigures } from './build-figures.ts'
import { readEvidence, type ScreenedPayment } from './read-evidence.ts'
import type { Method } from './visible-payments.ts'
import { narrowMethod, readMerchants } from './wallets-of-window.ts'

const signal = new AbortController().signal
let lastAttempt = 0

const sendings = arbitrarySendings(arbitraryWallet, [START - 1, START, START + 300_000, END - 1, END])

onEveryLedger(
  'figures of any ledger, in any division into chunks, equal those computed by hand, and reports keep the invariants',
  async ({ open, isCluster }) => {
    const ledger = await open()
    await fc.assert(
      fc.asyncProperty(
        arbitraryPayments,
        arbitraryMethod,
        sendings,
        fc.integer({ min: 40, max: 400 }),
        async (all, rules, sent, chunkRows) => {
          const coverage = await writeChunks(ledger, all, chunkRows)
          const outflows = toOutflows(sent, countedOf(all, rules))
          const outflowAttempts = await writeOutflows(ledger, outflows)
          const selection = { coverage, outflowAttempts, window: WINDOW, method: rules }
          const figures = await buildFigures(ledger, selection, signal)
          assert.deepEqual(figures, addUp(all, outflows, rules))
          const merchants = await readMerchants(ledger, selection, signal)
          const method = narrowMethod(rules, merchants)
          assert.deepEqual(await buildFigures(ledger, { ...selection, method }, signal), figures)
          for (const each of figures) {
            checkInvariants(each, WINDOW)
            assert.deepEqual(addUpAlone(each.address, { all, outflows, rules }), { ...each, rank: null })
          }
        },
      ),
      { numRuns: slowRuns(isCluster ? 4 : 12) },
    )
  },
)

onEveryLedger('the evidence of a merchant adds up to its figures and is in chain order', async ({ open }) => {
  const ledger = await open()
  await fc.assert(
    fc.asyncProperty(arbitraryPayments, arbitraryMethod, sendings, async (all, rules, sent) => {
      const coverage = await writeChunks(ledger, all, 1_000)
      const outflows = toOutflows(sent, countedOf(all, rules))
      const visible = { coverage, outflowAttempts: await writeOutflows(ledger, outflows), window: WINDOW }
      for (const figures of addUp(all, outflows, rules).slice(0, 2)) {
        const selection = { ...visible, method: rules, merchant: figures.address }
        const rows: ScreenedPayment[] = []
        for await (const row of readEvidence(ledger, selection, signal)) rows.push(row)
        const order = rows.map(({ blockNumber, logIndex }) => blockNumber * 2 + logIndex)
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        )
        assert.equal(rows.filter(({ amount }) => amount >= figures.floor).length, figures.tx)
        for (const { kind, tx, amount } of figures.flags) {
          const flagged = rows.filter(({ flag }) => flag === kind)
          const counted = flagged.filter((each) => each.amount >= figures.floor)
          assert.deepEqual([counted.length, total(flagged)], [tx, amount])
        }
        assert.equal(total(rows.filter(({ flag }) => flag === null)), figures.realAmount)
      }
    }),
    { numRuns: 4 },
  )
})

onEveryLedger('rows of attempts outside the coverage are ignored', async ({ open }) => {
  const ledger = await open()
  const [one] = fc.sample(
    arbitraryPayments.filter((list) => list.length > 100),
    1,
  )
  assert(one)
  const coverage = await writeChunks(ledger, one, 50)
  const rules = { screens: SCREENS, inputs: NO_SCREEN_INPUTS, listedPayees: new Set(WALLETS) }
  const seen = { ...coverage, attempts: coverage.attempts.slice(1) }
  const visible = { outflowAttempts: [], window: WINDOW, method: rules }
  const figures = await buildFigures(ledger, { ...visible, coverage: seen }, signal)
  assert.deepEqual(figures, addUp(one.slice(50), [], rules))
  const none = { ...coverage, attempts: [] }
  assert.deepEqual(await buildFigures(ledger, { ...visible, coverage: none }, signal), [])

  // Outflows are ignored, too, unless their attempt is selected.
  const [buyer = '0x', merchant = '0x'] = WALLETS
  const paid = {
    ...one[0],
    buyer,
    merchant,
    amount: 1_000n,
    timestamp: START,
    evidence: EVIDENCE.permit2Proxy,
  }
  const own = await writeChunks(ledger, [paid as Payment], 1)
  const back = { ...toPlace(0), timestamp: START, sender: merchant, recipient: buyer, amount: 500n }
  const attempts = await writeOutflows(ledger, [back])
  const flagsOf = async (outflowAttempts: readonly number[]) =>
    (await buildFigures(ledger, { ...visible, coverage: own, outflowAttempts }, signal))[0]?.flags
  assert.deepEqual(await flagsOf([]), [])
  assert.deepEqual(await flagsOf(attempts), [{ kind: 'round_trip', tx: 1, amount: 1_000n }])
})

onEveryLedger('an incomplete window has no ranks, and dust earns none', async ({ open }) => {
  const ledger = await open()
  const coverage = await writeChunks(ledger, [], 1)
  const only: Payment = {
    blockNumber: 1,
    logIndex: 1,
    timestamp: START,
    transaction: `0x${'0'.repeat(64)}`,
    buyer: WALLETS[1] ?? '0x',
    merchant: WALLETS[2] ?? '0x',
    amount: 5_000n,
    facilitator: WALLETS[0] ?? '0x',
    evidence: EVIDENCE.permit2Proxy,
  }
  const dust = { ...only, merchant: WALLETS[3] ?? '0x', amount: 999n }
  // More dollars than the other merchant, in payments too small to count.
  const written = await writeChunks(ledger, [only, ...Array.from({ length: 9 }, () => dust)], 100)
  assert.deepEqual(coverage.attempts, [])
  const rules = {
    screens: SCREENS,
    inputs: NO_SCREEN_INPUTS,
    listedPayees: new Set<Address>(),
  }
  const selection = { coverage: written, outflowAttempts: [], window: WINDOW, method: rules }
  const ranksOf = async (isComplete: boolean) => {
    const figures = await buildFigures(ledger, { ...selection, window: { ...WINDOW, isComplete } }, signal)
    return figures.map(({ rank, tx, realAmount }) => [rank, tx, realAmount])
  }
  assert.deepEqual(await ranksOf(false), [
    [null, 0, 8_991n],
    [null, 1, 5_000n],
  ])
  assert.deepEqual(await ranksOf(true), [
    [null, 0, 8_991n],
    [1, 1, 5_000n],
  ])
})

/** Writes payments in chunks of this many rows, each under its own attempt. */
async function writeChunks(ledger: Ledger, all: readonly Payment[], rows: number) {
  const attempts: number[] = []
  for (let at = 0; at < all.length; at += rows) {
    lastAttempt++
    attempts.push(lastAttempt)
    await ledger.insert(lastAttempt, all.slice(at, at + rows), signal)
  }
  return { firstBlock: 0, endBlock: 1_000_000, attempts }
}

async function writeOutflows(ledger: Ledger, outflows: readonly Transfer[]): Promise<readonly number[]> {
  lastAttempt++
  await ledger.transfers.insert(lastAttempt, outflows, signal)
  return [lastAttempt]
}

function countedOf(all: readonly Payment[], rules: Method): readonly Payment[] {
  return all.filter((payment) => isInWindow(payment) && isPayment(payment, rules.listedPayees))
}

function isInWindow({ timestamp }: { readonly timestamp: number }): boolean {
  return timestamp >= START && timestamp < END
}

/** The figures computed literally from the specification, one merchant at a time. */
function addUp(
  all: readonly Payment[],
  outflows: readonly Transfer[],
  rules: Method,
): readonly MerchantFigures[] {
  const counted = countedOf(all, rules)
  const flags = screenPayments({ payments: counted, outflows: outflows.filter(isInWindow), ...rules })
  const screened = counted.map((payment, at) => ({ ...payment, flag: flags[at] ?? null }))
  const byMerchant = [...Map.groupBy(screened, ({ merchant }) => merchant)].map(([address, own]) => {
    const floor = rules.inputs.listedPrices.get(address)?.floor ?? 1_000n
    const countable = own.filter(({ amount }) => amount >= floor)
    const real = own.filter(({ flag }) => flag === null)
    const countableReal = real.filter(({ amount }) => amount >= floor)
    const earlier = findEarlierBuyers(all, { merchants: [address], floor, rules })
    const realBuyers = [...new Set(countableReal.map(({ buyer }) => buyer))]
    const ofBuyers = [...Map.groupBy(own, ({ buyer }) => buyer).values()].map(total)
    const flags = rules.screens
      .map(({ kind }) => ({ kind, flagged: own.filter(({ flag }) => flag === kind) }))
      .filter(({ flagged }) => flagged.length > 0)
    const dates = [...Map.groupBy(own, ({ timestamp }) => toUtcDate(timestamp))]
    const unique = rules.inputs.listedPrices.get(address)?.unique ?? []
    const byPrice = unique
      .map((price) => ({ price, paid: countable.filter(({ amount }) => amount === price) }))
      .filter(({ paid }) => paid.length > 0)
      .map(({ price, paid }) => ({
        price,
        tx: paid.length,
        realTx: paid.filter((each) => each.flag === null).length,
      }))
    const fees = own.reduce((sum, { fee = 0n }) => sum + fee, 0n)
    return {
      address,
      tx: countable.length,
      amount: total(own),
      realTx: countableReal.length,
      realAmount: total(real),
      ...(fees > 0n && { fees }),
      buyers: new Set(countable.map(({ buyer }) => buyer)).size,
      realBuyers: realBuyers.length,
      returningBuyers: realBuyers.filter((buyer) => earlier.has(buyer)).length,
      floor,
      buyerSquares: ofBuyers.reduce((sum, each) => sum + each ** 2n, 0n),
      topBuyerAmount: ofBuyers.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n,
      flags: flags.map(({ kind, flagged }) => ({
        kind,
        tx: flagged.filter(({ amount }) => amount >= floor).length,
        amount: total(flagged),
      })),
      paid: {
        p25: percentile(countable, 1, 4),
        median: percentile(countable, 1, 2),
        p75: percentile(countable, 3, 4),
        medianPassing: percentile(countableReal, 1, 2),
      },
      ...(byPrice.length > 0 && { byPrice }),
      daily: dates
        .map(([date, ofDate]) => ({
          date,
          tx: ofDate.filter(({ amount }) => amount >= floor).length,
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
  const places = ranked.filter(({ realTx }) => realTx > 0)
  return ranked.map((merchant) => ({ ...merchant, rank: places.indexOf(merchant) + 1 || null }))
}

type Ledgerless = {
  readonly all: readonly Payment[]
  readonly outflows: readonly Transfer[]
  readonly rules: Method
}

/** The figures of one merchant, computed from its payments without a ledger. */
function addUpAlone(merchant: Address, { all, outflows, rules }: Ledgerless): MerchantFigures {
  const own = countedOf(all, rules).filter((payment) => payment.merchant === merchant)
  const sent = outflows.filter((transfer) => isInWindow(transfer) && transfer.sender === merchant)
  const flags = screenPayments({ payments: own, outflows: sent, ...rules })
  const flagged = own.map((payment, at) => ({ ...payment, flag: flags[at] ?? null }))
  const kinds = rules.screens.map(({ kind }) => kind)
  const unique = rules.inputs.listedPrices.get(merchant)?.unique ?? []
  const floor = floorOf(merchant, rules.inputs)
  const earlier = findEarlierBuyers(all, { merchants: [merchant], floor, rules })
  return addUpFigures(merchant, flagged, { kinds, floor, unique, earlier })
}

/** The smallest amount at or below which numerator/denominator of the payments lie; 0 without payments. */
function percentile(own: readonly { readonly amount: bigint }[], numerator: number, denominator: number) {
  const sorted = own.map(({ amount }) => amount).sort((a, b) => (a < b ? -1 : 1))
  return sorted[Math.ceil((sorted.length * numerator) / denominator) - 1] ?? 0n
}

function total(own: readonly { readonly amount: bigint }[]): bigint {
  return own.reduce((rest, { amount }) => rest + amount, 0n)
}
