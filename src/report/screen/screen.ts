import type { Address } from '../../chain/hex.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'

/**
 * A rule that flags payments by a pattern in public data, in two steps that do not depend on the order of
 * payments: which payments of a pair (a buyer and a merchant) are candidates by themselves, and whether the
 * pair's candidates are flagged. Each step exists as a pure function and as equivalent SQL.
 *
 * Candidates of a screen are candidates of every screen before it in SCREENS as well: whole pairs come before
 * parts of pairs. So a pair's payments belong to its first flagging screen, or to none.
 */
export type Screen = {
  /** Name of the flag in reports. */
  readonly kind: string
  /** Incremented whenever the rule or a threshold changes. */
  readonly version: number
  readonly title: string
  /** What it flags, exactly, for readers. */
  readonly explanation: string
  /** Legitimate activity that trips it. */
  readonly innocentCauses: readonly string[]
  /** By name; amounts in micro-USDC, counts per window, shares in percent. */
  readonly thresholds: Readonly<Record<string, number>>
  isCandidate(payment: { readonly amount: AtomicUsdc }): boolean
  flagsPair(pair: Pair, inputs: ScreenInputs): boolean
  readonly sql: {
    /** Equivalent to isCandidate, over the column `amount`. */
    readonly candidate: string
    /** Equivalent to flagsPair, over these columns. */
    pair(columns: PairColumns, inputs: ScreenInputs): string
    readonly basis: Basis
  }
}

/**
 * What the decision about a pair depends on, and the only columns that the SQL may use: its wallets, so that
 * no payments need be counted; the number of its candidates; or the sums in both directions, for which
 * transfers are read.
 */
export type Basis = 'wallets' | 'candidates' | 'sums'

export type Pair = {
  readonly buyer: Address
  readonly merchant: Address
  /** How many candidates the pair has in the window. */
  readonly candidates: number
  /** What the buyer paid the merchant in the window, candidate or not. */
  readonly paid: AtomicUsdc
  /** What the merchant transferred to the buyer in the window, as a payment or otherwise. */
  readonly sentBack: AtomicUsdc
}

/** SQL expressions. */
export type PairColumns = { readonly [K in keyof Pair]: string } & {
  /** Whether buyer and merchant are one wallet; cheaper than comparing their addresses. */
  readonly isOneWallet: string
}

/** What screens use in addition to payments and transfers. */
export type ScreenInputs = {
  /** Wallets that a merchant has disclosed as its own. */
  readonly disclosedWallets: ReadonlyMap<Address, ReadonlySet<Address>>
}

export const NO_SCREEN_INPUTS: ScreenInputs = Object.freeze({ disclosedWallets: new Map() })
