import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Payment } from '../chain/payment.ts'
import type { MerchantFlow } from './flow/judge-flow.ts'

/**
 * A rule that flags payments by a pattern in public data, in two steps: which payments are candidates by
 * themselves, and whether the candidates of a pair (a buyer and a merchant) are flagged. The ledger has
 * equivalent SQL for each step.
 *
 * In SCREENS whole pairs come first (every payment is a candidate), then screens that flag every candidate, and
 * last at most one for which a pair needs a number of candidates. So no step depends on the flags of another.
 */
export type Screen = {
  /** Name of the flag in reports. */
  readonly kind: ScreenKind
  /** Incremented whenever the rule or a threshold changes. */
  readonly version: number
  readonly title: string
  /** What it flags, exactly, for readers. */
  readonly explanation: string
  /** Legitimate activity that trips it. */
  readonly innocentCauses: readonly string[]
  /** By name; amounts in micro-USDC, counts per window, shares in percent. */
  readonly thresholds: Readonly<Record<string, number>>
  isCandidate(payment: Candidate, inputs: ScreenInputs): boolean
  flagsPair(pair: Pair, inputs: ScreenInputs): boolean
}

export type ScreenKind =
  | 'self_pay'
  | 'round_trip'
  | 'funded_by_merchant'
  | 'circular'
  | 'above_listing'
  | 'tiny_repeat'

export type Candidate = Pick<Payment, 'buyer' | 'merchant' | 'amount' | 'blockNumber' | 'logIndex'>

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

/** The bounds that a merchant's paid listings set, micro-USDC. */
export type ListedPrices = {
  /** The amount from which on a payment counts. */
  readonly floor: AtomicUsdc
  /** The highest price; the maximum of a metered endpoint. */
  readonly highest: AtomicUsdc
  /** The highest price that the merchant states in its claim; absent: none. */
  readonly stated?: AtomicUsdc
  /** Fixed prices that only one endpoint has, ascending. */
  readonly unique: readonly AtomicUsdc[]
  /** Bounds of what the merchant was paid: statements leave out prices that decide nothing. Absent: unknown. */
  readonly paid?: { readonly min: AtomicUsdc; readonly max: AtomicUsdc }
}

/** What screens use in addition to payments and the transfers between the two wallets of a pair. */
export type ScreenInputs = {
  readonly disclosedWallets: ReadonlyMap<Address, ReadonlySet<Address>>
  /** Only merchants with a paid listing. */
  readonly listedPrices: ReadonlyMap<Address, ListedPrices>
  readonly flows: ReadonlyMap<Address, MerchantFlow>
}

export const NO_SCREEN_INPUTS: ScreenInputs = Object.freeze({
  disclosedWallets: new Map(),
  listedPrices: new Map(),
  flows: new Map(),
})
