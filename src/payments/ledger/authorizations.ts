import type { Scope } from '../../catalogue/endpoint.ts'
import type { ServiceName } from '../../catalogue/service.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Hex, OfferedPayment } from '../payment.ts'
import type { CallRow } from './call-row.ts'

/** How often a handler is started for one authorization, whatever becomes of the runs. */
export const MOST_RUNS = 3
/** And how often more for a stream that was charged, should each run end with its process or its source fail. */
const MOST_RERUNS = 10

/** The right to move one row on; worthless once another process has taken the row. */
export type Claim = {
  readonly id: string
  readonly token: string
  readonly reservedAt: number
  /** With the run that the claim was taken for. */
  readonly runs: number
  /** Whether a change may be staged under the call; the run that holds the claim sets it. */
  readonly effect: { mayBeStaged: boolean }
}

/** What a payment is stored under. */
export type PaymentNames = {
  readonly id: string
  readonly payment: OfferedPayment
  /** Keyed hash of the payment-identifier, or null. */
  readonly identifier: string | null
}

/** What is known of a call when its payment is reserved. */
export type Reservation = PaymentNames & {
  readonly service: ServiceName
  /** Its id. */
  readonly endpoint: string
  readonly scope: Scope
  readonly fingerprint: string
}

export type KeptAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
  readonly file: string | null
}

/** The nonce ledger: every method that changes a row is one compare-and-swap statement. False and null mean: not yours. */
export interface Authorizations {
  /**
   * Whether statements take effect in the order in which they were asked for, as one writer thread does it:
   * then the next may be asked for before the last is known.
   */
  readonly keepsOrder: boolean
  find(id: string): Promise<CallRow | null>
  /** The call that was first made under a payment-identifier, by whatever payment. */
  findIdentified(names: PaymentNames): Promise<CallRow | null>
  /** Begins the first run; null when the authorization or its identifier is known already. */
  reserve(reservation: Reservation): Promise<Claim | null>
  /** released, or reserved by a dead process -> reserved. */
  reserveAgain(row: CallRow, reservation: Reservation): Promise<Claim | null>
  /** settled-unfinished: begins a further run, which costs nothing. */
  rerun(row: CallRow): Promise<Claim | null>
  /** Takes a row that nobody works on, in whatever state it was read. */
  take(row: CallRow): Promise<Claim | null>
  /** reserved -> delivered: the answer is stored before money moves. */
  deliver(claim: Claim, charge: AtomicUsdc, answer: KeptAnswer): Promise<boolean>
  /** reserved -> streaming, before the first byte goes out. */
  beginStream(claim: Claim, charge: AtomicUsdc): Promise<boolean>
  /** streaming -> streaming: what a crash now would settle. */
  checkpoint(claim: Claim, charge: AtomicUsdc, bytesSent: number): Promise<boolean>
  /** streaming -> settling: the metered end of a stream is known, with its text where some of it is held back. */
  endStream(claim: Claim, charge: AtomicUsdc, bytesSent: number, answer: KeptAnswer | null): Promise<boolean>
  /** delivered, streaming, settling or unknown -> settling, before the transaction is sent (null: not by us). */
  settling(claim: Claim, transaction: Hex | null): Promise<boolean>
  /** -> settled or settled-unfinished, and writes what was staged. A row that still streams stays owned. */
  settled(claim: Claim, outcome: SettledOutcome): Promise<boolean>
  /** settled-unfinished -> settled, with the text that repeats it; or given up as it is. */
  finish(claim: Claim, isFinished: boolean, answer: KeptAnswer | null): Promise<boolean>
  /** -> unknown: the reconciler looks again at `checkAt` (epoch milliseconds); `updated_at` stays. */
  unknown(claim: Claim, reason: string, checkAt: number): Promise<boolean>
  /** delivered stays delivered, owned by nobody, until the payer asks again or the authorization ends. */
  abandon(claim: Claim, checkAt: number): Promise<boolean>
  /** -> released: nothing was or will be charged; what was stored or staged is deleted. */
  release(claim: Claim, reason: string, didRun: boolean): Promise<boolean>
}

export type SettledOutcome = {
  readonly transaction: Hex
  readonly amount: AtomicUsdc
  readonly state: 'settled' | 'settled-unfinished'
  /** Whether the flow goes on, as an `exact` stream does after settling. */
  readonly keepsOwner: boolean
}

/** A row that is not charged may be used again; one that streams keeps a run for after its settlement. */
export function canRunAgain(row: CallRow): boolean {
  if (row.state !== 'released' && row.state !== 'reserved') return false
  return row.runs < (row.is_stream === 1 ? MOST_RUNS - 1 : MOST_RUNS)
}

/** A stream that was charged and then cut short by its source or the end of its process is run again. */
export function canRerun(row: CallRow): boolean {
  return row.state === 'settled-unfinished' && row.runs < MOST_RUNS + MOST_RERUNS
}
