import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Address } from '../chain/payment.ts'

/** One pass over the ledger: the figures of every merchant that was paid in the window. */
export type ReportRun = {
  /** `rolling`, or for a published week the UTC date of `window.end`, such as `2026-11-15`. */
  readonly edition: string
  readonly window: FigureWindow
  /** Version of the rules (payment rule and screens) that made the figures. */
  readonly methodVersion: string
  /** Most real revenue first, then more passing payments, then the address: the order of the ranks. */
  readonly figures: readonly MerchantFigures[]
}

/** The seven days of a run. A payment belongs to it by its block's time: start <= time < end. */
export type FigureWindow = {
  /** endBlock - 302400; nominal, and possibly negative, on a chain whose blocks are not two seconds apart. */
  readonly startBlock: number
  /** The first block after the window. */
  readonly endBlock: number
  /** Epoch seconds; end - start = 604800. */
  readonly start: number
  readonly end: number
  /** Whether endBlock is final and every block of the window was read. */
  readonly isComplete: boolean
}

/** What the chain says of one merchant in one window. Amounts are micro-USDC, sums are never rounded. */
export type MerchantFigures = {
  readonly address: Address
  /** 1 is the most real revenue; null when the window is incomplete or nothing passed every screen. */
  readonly rank: number | null
  readonly tx: number
  readonly amount: AtomicUsdc
  readonly realTx: number
  readonly realAmount: AtomicUsdc
  readonly buyers: number
  readonly realBuyers: number
  /** What the largest buyer paid. */
  readonly topBuyerAmount: AtomicUsdc
  /** Only kinds that flagged a payment, in their order of priority. */
  readonly flags: readonly FlagFigures[]
  readonly paid: {
    readonly p25: AtomicUsdc
    readonly median: AtomicUsdc
    readonly p75: AtomicUsdc
    /** Over passing payments; 0 when there is none. */
    readonly medianPassing: AtomicUsdc
  }
  /** Only dates with payments, ascending. */
  readonly daily: readonly DayFigures[]
  /**
   * A sentence when much of the money came from wallets that exchanges or bridges had filled; null when nothing
   * was found; absent when no list of labels is configured, or too few buyers were looked at to tell.
   */
  readonly exchangeFlowNote?: string | null
}

export type FlagFigures = {
  readonly kind: string
  readonly tx: number
  readonly amount: AtomicUsdc
}

export type DayFigures = {
  /** UTC date, YYYY-MM-DD. */
  readonly date: string
  readonly tx: number
  readonly amount: AtomicUsdc
  readonly realAmount: AtomicUsdc
}
