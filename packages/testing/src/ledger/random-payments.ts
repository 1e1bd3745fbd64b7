import type { Address } from '@tollbook/chain/hex'
import type { Method } from '@tollbook/report/build/visible-payments'
import { EVIDENCE, type Payment } from '@tollbook/verify/chain/payment'
import { isPayment } from '@tollbook/verify/chain/payment-rule'
import { placeOf } from '@tollbook/verify/screen/flow/follow-shares'
import { SCREENS } from '@tollbook/verify/screen/screens'
import { fc } from '../property.ts'

/** Sunday 2026-11-15 12:00:01 UTC. */
export const END = Date.UTC(2026, 10, 15, 12, 0, 1) / 1000
export const START = END - 604_800
export const WINDOW = {
  startBlock: 0,
  endBlock: 302_400,
  start: START,
  end: END,
  isComplete: true,
  isEarlierRead: true,
}

export const WALLETS = Array.from({ length: 4 }, (_, at): Address => `0x${String(at + 1).repeat(40)}`)
export const arbitraryWallet = fc.constantFrom(...WALLETS)
const amount = fc.oneof(
  { weight: 5, arbitrary: fc.bigInt(1n, 10_000n) },
  { weight: 3, arbitrary: fc.constantFrom(4_999n, 5_000n, 10_000n, 10_001n, 1_000_000n) },
  { weight: 1, arbitrary: fc.bigInt(1n, 2n ** 50n) },
)
/** Payments of one buyer to one merchant: few, or about the hundred at which the repeat screen begins. */
const series = fc
  .record({
    buyer: arbitraryWallet,
    merchant: arbitraryWallet,
    amounts: fc.array(amount, { minLength: 1, maxLength: 3 }),
    count: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(99, 100, 101, 150)),
    // Mostly within the window, and at its edges.
    time: fc.oneof(
      fc.integer({ min: START, max: END - 86_400 }),
      fc.integer({ min: START - 604_800, max: START - 1 }),
      fc.constantFrom(START - 604_801, START - 604_800, START - 1, START, END - 1, END),
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
      ...((amounts[0] ?? 0n) % 4n === 3n && { fee: 91_604n }),
      amount: amounts[at % amounts.length] ?? 1n,
      timestamp: time + at * step,
    })),
  )
/** Payments in the order of the chain, of a few wallets among each other. */
export const arbitraryPayments = fc.array(series, { minLength: 3, maxLength: 9 }).map((lists) =>
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
const PRICES = [1n, 1_000n, 4_999n, 5_000n, 10_000n, 1_000_000n]
const price = fc.constantFrom(...PRICES)

/** Some of the screens, with listings and disclosed wallets. */
export const arbitraryMethod: fc.Arbitrary<Method> = fc
  .record({
    listed: fc.subarray(WALLETS),
    disclosed: fc.array(fc.tuple(arbitraryWallet, fc.subarray(WALLETS)), { maxLength: 2 }),
    prices: fc.array(
      fc.tuple(
        arbitraryWallet,
        fc.record(
          { floor: price, highest: price, unique: fc.subarray(PRICES), stated: fc.bigInt(1n, 2n ** 50n) },
          { requiredKeys: ['floor', 'highest', 'unique'] },
        ),
      ),
      {
        maxLength: 3,
      },
    ),
    funded: fc.array(fc.tuple(arbitraryWallet, fc.subarray(WALLETS)), { maxLength: 2 }),
    linked: fc.subarray(WALLETS, { minLength: 2 }),
    // A sample of all payments; each is looked up for its own merchant.
    circularEvery: fc.constantFrom(2, 3, 50, 10_000),
    screens: fc.constantFrom(
      SCREENS,
      SCREENS,
      SCREENS.slice(1),
      SCREENS.slice(0, 1),
      SCREENS.slice(1, 2),
      SCREENS.slice(2),
      SCREENS.slice(3),
      [],
    ),
  })
  .map(({ listed, disclosed, prices, funded, linked, circularEvery, screens }) => ({
    screens,
    listedPayees: new Set(listed),
    inputs: {
      disclosedWallets: new Map(disclosed.map(([owner, own]) => [owner, new Set(own)])),
      listedPrices: new Map(prices),
      flows: new Map(
        WALLETS.map((merchant) => [
          merchant,
          {
            circular: toPlaces(circularEvery),
            funded: new Set(funded.find(([own]) => own === merchant)?.[1]),
            linked: new Set(linked),
          },
        ]),
      ),
    },
  }))

/** Buyers that paid one of these wallets at least a floor in the seven days before the window. */
export function findEarlierBuyers(
  all: readonly Payment[],
  of: { readonly merchants: readonly Address[]; readonly floor: bigint; readonly rules: Method },
): ReadonlySet<Address> {
  const paid = all.filter(
    (each) =>
      of.merchants.includes(each.merchant) &&
      each.timestamp >= START - 604_800 &&
      each.timestamp < START &&
      each.amount >= of.floor &&
      isPayment(each, of.rules.listedPayees),
  )
  return new Set(paid.map(({ buyer }) => buyer))
}

/** Far more payments than any case has. */
function toPlaces(every: number): ReadonlySet<string> {
  const places = Array.from({ length: 2_000 }, (_, at) => at).filter((at) => at % every === 0)
  return new Set(places.map((at) => placeOf({ blockNumber: at >> 1, logIndex: at & 1 })))
}
