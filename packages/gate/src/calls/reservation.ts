import type { Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Reply } from '@tollbook/http/reply/reply'
import type { Transaction } from 'kysely'
import type { Scope } from '../contract/paid-route.ts'
import type { OfferedPayment } from '../payment.ts'
import type { Tables } from '../state/tables.ts'
import type { CallRow } from './call-row.ts'

/** How often a handler is started for one authorization, however its runs end. */
export const MAX_RUNS = 3
/** The reason of a row that was released because its process ended. */
export const INTERRUPTED = 'interrupted'
/** How often in addition for a stream that was charged, if its runs end with their process or their source fails. */
const MAX_RERUNS = 10

/** The right to move one row on; worthless once another process has taken the row. */
export type Lease = {
  readonly id: string
  readonly token: string
  readonly reservedAt: number
  /** With the run that the lease was taken for. */
  readonly runs: number
  /** Whether a change may be staged under the call; set by the run that holds the lease. */
  readonly effect: { mayBeStaged: boolean }
}

/** The key under which a payment is stored. */
export type PaymentNames = {
  readonly id: string
  readonly payment: OfferedPayment
  /** Keyed hash of the payment-identifier, or null. */
  readonly identifier: string | null
}

/** What is recorded about a call when its payment is reserved. */
export type Reservation = PaymentNames & {
  /** The name of the selling service, or `FACILITATOR`. */
  readonly service: string
  /** The endpoint's id. */
  readonly endpoint: string
  /** The URL under which it was offered; absent if nobody gets a receipt. */
  readonly resourceUrl?: string | undefined
  readonly scope: Scope
  /** For how long after the settlement the request may be repeated without charge. */
  readonly repeatMs?: number | undefined
  readonly fingerprint: string
  /** How often the handler is started at most; default `MAX_RUNS`. */
  readonly maxRuns?: number
  /** What to settle if there is no answer to compute first: the row then begins as delivered. */
  readonly charge?: AtomicUsdc
}

/** An answer as it is sent to the client, the same bytes each time. */
export type StoredAnswer = Reply & { readonly body: Uint8Array }

/** The same as the columns of its row; a large body is in a file. */
export type AnswerRow = Omit<StoredAnswer, 'body'> & {
  readonly body: Uint8Array | null
  readonly file: string | null
}

export type SettledOutcome = {
  readonly transaction: Hex | null
  readonly amount: AtomicUsdc
  /** Epoch milliseconds, as the answer states it. */
  readonly settledAt: number
  /** Its part of the transaction's gas, micro-USDC, if known. */
  readonly gasCost?: AtomicUsdc | undefined
  readonly state: 'settled' | 'settled-unfinished'
  /** Whether the process continues with the row, as an `exact` stream does after settling. */
  readonly keepsOwner: boolean
  /** Part of the same transaction of the store; if it is false, nothing of it takes effect. */
  readonly advance?: (transaction: Transaction<Tables>) => Promise<boolean>
}

/** A row that is not charged may be used again; one that streams keeps a run for after its settlement. */
export function canRunAgain(row: CallRow, again: Pick<Reservation, 'fingerprint' | 'maxRuns'>): boolean {
  if (row.state !== 'released' && row.state !== 'reserved') return false
  const { maxRuns = MAX_RUNS } = again
  return countRuns(row, again) < (row.is_stream === 1 ? Math.max(maxRuns - 1, 1) : maxRuns)
}

/**
 * Runs that count against the limit. Whatever a channel buys next is paid by the voucher of the call that failed, so
 * of a voucher only runs of the same request count, and only those that ended with their process.
 */
export function countRuns(row: CallRow, { fingerprint }: Pick<Reservation, 'fingerprint'>): number {
  const isCounted = row.reason === INTERRUPTED && row.fingerprint === fingerprint
  return row.scheme === 'batch-settlement' && row.state === 'released' && !isCounted ? 0 : row.runs
}

/** A stream that was charged and then cut short by its source or the end of its process is run again. */
export function canRerun(row: CallRow): boolean {
  return row.state === 'settled-unfinished' && row.runs < MAX_RUNS + MAX_RERUNS
}
