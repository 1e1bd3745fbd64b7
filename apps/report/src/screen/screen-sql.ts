import type { Address } from '@tollbook/chain/hex'
import type { ScreenInputs, ScreenKind } from '@tollbook/verify/screen/screen'
import {
  limitOf,
  MAX_TINY_AMOUNT,
  MIN_AMOUNT_ABOVE,
  MIN_RETURNED_PERCENT,
  MIN_TINY_PAYMENTS,
} from '@tollbook/verify/screen/screens'
import type { Dialect } from '../ledger/engine/dialect.ts'
import { toShareCondition } from '../ledger/share-condition.ts'
import { toCountedCondition } from './counted-condition.ts'

/** The SQL of a screen over the ledger, equivalent to its two pure functions. */
export type ScreenSql = {
  /** Equivalent to isCandidate, over columns of the payment table; absent if every payment is one. */
  candidate?(inputs: ScreenInputs, parts: CandidateParts): string
  /** Equivalent to flagsPair, over these columns; `1` if it flags every candidate. */
  pair(columns: PairColumns, inputs: ScreenInputs): string
  readonly basis: Basis
}

/**
 * What the decision about a pair needs, and the only columns of its SQL: wallets alone, without counting;
 * the number of candidates; or the sums in both directions, for which transfers are read.
 */
type Basis = 'wallets' | 'candidates' | 'sums'

/** From which the SQL of candidates is built. */
type CandidateParts = Pick<Dialect, 'amountOfMerchant'> & { readonly isPairOf: PairTest }

/** SQL expressions. */
type PairColumns = { readonly [K in 'candidates' | 'paid' | 'sentBack']: string } & {
  /** Whether buyer and merchant are one wallet; cheaper than comparing their addresses. */
  readonly isOneWallet: string
  readonly isPairOf: PairTest
}

export type WalletsOf = ReadonlyMap<Address, ReadonlySet<Address>>

/** The SQL condition that a buyer is one of the wallets listed for its merchant. */
type PairTest = (walletsOf: WalletsOf) => string

const MAX_UINT64 = 2n ** 64n - 1n
/** Both numbers of a place have 32 bits. */
const LOGS_A_BLOCK = 2n ** 32n

/** The SQL of every screen by its kind. */
export const SCREEN_SQL: Readonly<Record<ScreenKind, ScreenSql>> = Object.freeze({
  self_pay: {
    basis: 'wallets',
    pair: ({ isOneWallet, isPairOf }, { disclosedWallets }) =>
      `(${isOneWallet} OR ${isPairOf(disclosedWallets)})`,
  },
  round_trip: {
    basis: 'sums',
    pair: ({ paid, sentBack }) => toShareCondition(sentBack, paid, MIN_RETURNED_PERCENT),
  },
  funded_by_merchant: {
    basis: 'wallets',
    pair: ({ isPairOf }, { flows }) =>
      isPairOf(new Map([...flows].map(([merchant, { funded }]) => [merchant, funded]))),
  },
  circular: { candidate: toPlaceCondition, basis: 'candidates', pair: () => '1' },
  above_listing: { candidate: toLimitCondition, basis: 'candidates', pair: () => '1' },
  tiny_repeat: {
    candidate: toTinyCondition,
    basis: 'candidates',
    pair: ({ candidates }) => `${candidates} >= ${MIN_TINY_PAYMENTS}`,
  },
} satisfies Record<ScreenKind, ScreenSql>)

/** Places as single numbers: a set of pairs of columns of the sorting key is looked up in the whole index. */
function toPlaceCondition({ flows }: ScreenInputs): string {
  const places = [...flows.values()].flatMap((flow) => [...flow.circular])
  if (places.length === 0) return '0'
  const numbers = places.map((place) => {
    const [block = '', logIndex = ''] = place.split(':')
    return BigInt(block) * LOGS_A_BLOCK + BigInt(logIndex)
  })
  return `(block * ${LOGS_A_BLOCK} + log_index IN (${numbers.join(', ')}))`
}

function toLimitCondition({ listedPrices }: ScreenInputs, parts: CandidateParts): string {
  const limits = new Map(
    [...listedPrices].flatMap(([merchant, prices]) => {
      const limit = limitOf(prices)
      const isReached = !prices.paid || (prices.paid.max >= MIN_AMOUNT_ABOVE && prices.paid.max > limit)
      return isReached ? [[merchant, limit] as const] : []
    }),
  )
  return limits.size === 0
    ? '0'
    : `(amount >= ${MIN_AMOUNT_ABOVE} AND amount > ${parts.amountOfMerchant(limits, MAX_UINT64)})`
}

function toTinyCondition(inputs: ScreenInputs, parts: CandidateParts): string {
  const linked = new Map([...inputs.flows].map(([merchant, flow]) => [merchant, flow.linked]))
  return `(amount <= ${MAX_TINY_AMOUNT} AND ${toCountedCondition(inputs, parts)} AND ${parts.isPairOf(linked)})`
}
