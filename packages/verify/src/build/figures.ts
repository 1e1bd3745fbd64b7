import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'

/** What the chain shows of one merchant in one window. Amounts are micro-USDC; sums are never rounded. */
export type MerchantFigures = {
  readonly address: Address
  /** 1 is the highest real revenue; null when the window is incomplete or no counted payment passed every screen. */
  readonly rank: number | null
  readonly tx: number
  readonly amount: AtomicUsdc
  readonly realTx: number
  readonly realAmount: AtomicUsdc
  /** What routers and escrows kept of what was paid, which is in no other figure; absent: nothing. */
  readonly fees?: AtomicUsdc
  readonly buyers: number
  readonly realBuyers: number
  /** Real buyers that also paid in the seven days before the window; absent if those were not read. */
  readonly returningBuyers?: number
  /** Payments below this are in the sums, and neither in the counts nor in `paid`. */
  readonly floor: AtomicUsdc
  readonly topBuyerAmount: AtomicUsdc
  /** The sum of the squares of what each buyer paid. */
  readonly buyerSquares: bigint
  /** Only kinds that flagged a payment, by priority. */
  readonly flags: readonly FlagFigures[]
  readonly paid: {
    readonly p25: AtomicUsdc
    readonly median: AtomicUsdc
    readonly p75: AtomicUsdc
    /** Over passing payments; 0 when there are none. */
    readonly medianPassing: AtomicUsdc
  }
  /** Counted payments of exactly a price that only one endpoint has, ascending by price; absent: none. */
  readonly byPrice?: readonly PriceFigures[]
  /** Only dates with payments, ascending. */
  readonly daily: readonly DayFigures[]
  /** Set if much money came from wallets funded by exchanges or bridges; absent if that is unknown. */
  readonly exchangeFlowNote?: string | null
}

export type FlagFigures = {
  readonly kind: string
  readonly tx: number
  readonly amount: AtomicUsdc
}

export type PriceFigures = {
  readonly price: AtomicUsdc
  readonly tx: number
  readonly realTx: number
}

export type DayFigures = {
  /** UTC date, YYYY-MM-DD. */
  readonly date: string
  readonly tx: number
  readonly amount: AtomicUsdc
  readonly realAmount: AtomicUsdc
}

/** Sums of micro-USDC, below 2^53 for nine billion dollars. */
export type FieldSums = {
  readonly tx: number
  readonly amount: number
  readonly real_tx: number
  readonly real_amount: number
}

export type FieldFigures = {
  /** Distinct wallets; one that pays several merchants counts once. */
  readonly buyers: number
  readonly real_buyers: number
  /** By the wallet that sent the settlement, most payments first. */
  readonly facilitators: readonly (FieldSums & { readonly address: string })[]
  /** UTC dates with payments, ascending. */
  readonly daily: readonly (FieldSums & { readonly date: string })[]
}
