import type { Address } from '@tollbook/chain/hex'
import type { Window } from '@tollbook/verify/build/window'
import type { ScreenedPayment } from '../build/read-evidence.ts'
import type { EvidencePart } from './evidence-archive.ts'

export type EvidenceQuery = {
  readonly merchant: Address
  /** The window of the report whose figures the payments add up to. */
  readonly window: Pick<Window, 'startBlock' | 'endBlock' | 'start' | 'end'>
  /** Location of the stored payments of a published week; absent when only the ledger has them. */
  readonly kept?: EvidencePart
}

/** Reads every payment behind a report, in chain order, so that anyone can add up its figures. */
export interface Evidence {
  payments(query: EvidenceQuery, signal: AbortSignal): AsyncIterable<ScreenedPayment>
}
