import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Address } from '../chain/payment.ts'

/**
 * A rule that flags payments by a pattern in public data, in two steps that need no order of payments: which
 * payments of a pair (a buyer and a merchant) are candidates by themselves, and whether the pair's candidates
 * are flagged. Each step exists as a pure function and as SQL that says the same.
 *
 * Candidates of a screen are candidates of every screen before it in SCREENS as well: whole pairs come before
 * parts of pairs. So a pair's payments fall under its first flagging screen, or under none.
 */
export type Screen = {
  /** Name of the flag in reports. */
  readonly kind: string
  /** Rises whenever the rule or a threshold changes. */
  readonly version: number
  readonly title: string
  /** What it flags, exactly, for people. */
  readonly explanation: string
  /** Honest things that trip it. */
  readonly innocentCauses: readonly string[]
  /** By name; amounts in micro-USDC, counts per window, shares in percent. */
  readonly thresholds: Readonly<Record<string, number>>
  isCandidate(payment: { readonly amount: AtomicUsdc }): boolean
  flagsPair(pair: Pair, inputs: ScreenInputs): boolean
  readonly sql: {
    /** The same as isCandidate, over the column `amount`. */
    readonly candidate: string
    /** The same as flagsPair, over these columns. */
    pair(columns: PairColumns, inputs: ScreenInputs): string
    readonly basis: Basis
  }
}

/**
 * What of a pair decides, which is all that the SQL may ask for: its wallets, so that no payments need be
 * counted; the number of its candidates; or the sums that went to and fro, for which transfers are read.
 */
export type Basis = 'wallets' | 'candidates' | 'sums'

export type Pair = {
  readonly buyer: Address
  readonly merchant: Address
  /** How many candidates the pair has in the window. */
  readonly candidates: number
  /** What the buyer paid the merchant in the window, candidate or not. */
  readonly paid: AtomicUsdc
  /** What the merchant transferred to the buyer in the window, as a payment or not. */
  readonly sentBack: AtomicUsdc
}

/** Expressions of SQL. */
export type PairColumns = { readonly [K in keyof Pair]: string } & {
  /** Whether buyer and merchant are one wallet; cheaper than to compare their addresses. */
  readonly isOneWallet: string
}

/** What screens know beside payments and transfers. */
export type ScreenInputs = {
  /** Wallets that a merchant has said are its own. */
  readonly disclosedWallets: ReadonlyMap<Address, ReadonlySet<Address>>
}

export const NO_SCREEN_INPUTS: ScreenInputs = Object.freeze({ disclosedWallets: new Map() })
