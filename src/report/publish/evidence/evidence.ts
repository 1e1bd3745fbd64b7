import type { Address, Hex } from '../../../chain/hex.ts'
import type { AtomicUsdc } from '../../../money/usdc.ts'
import type { FigureWindow } from '../../build/figures.ts'
import type { EvidencePart } from './evidence-archive.ts'

/** One payment of a merchant's window and the verdict of the screens. */
export type EvidenceRow = {
  readonly blockNumber: number
  readonly logIndex: number
  /** Block time in epoch seconds. */
  readonly timestamp: number
  readonly transaction: Hex
  readonly buyer: Address
  readonly amount: AtomicUsdc
  /** What routers, or an escrow, kept of what the buyer paid; absent: nothing. */
  readonly fee?: AtomicUsdc
  /** The kind of flag under which the payment counts; null when it passes every screen. */
  readonly flag: string | null
}

export type EvidenceQuery = {
  readonly merchant: Address
  /** The window of the report whose figures the payments add up to. */
  readonly window: Pick<FigureWindow, 'startBlock' | 'endBlock' | 'start' | 'end'>
  /** Location of the stored payments of a published week; absent when only the ledger has them. */
  readonly kept?: EvidencePart
}

/** Reads every payment behind a report, in chain order, so that anyone can add up its figures. */
export interface Evidence {
  payments(query: EvidenceQuery, signal: AbortSignal): AsyncIterable<EvidenceRow>
}
