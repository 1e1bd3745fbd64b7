import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Settlement } from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'
import type { Lease } from './reservation.ts'

/** A call whose money is to be moved. */
export type SettleCall = {
  readonly service: string
  readonly endpoint: string
  readonly lease: Lease
  readonly payment: OfferedPayment
  readonly charge: AtomicUsdc
  readonly settledState: 'settled' | 'settled-unfinished'
  /**
   * The pending write of the answer or of the stream's start, if any; no transaction is sent before it has
   * completed.
   */
  readonly delivered?: Promise<boolean>
  /** Whether the caller continues with the row after it is settled. */
  readonly keepsOwner: boolean
}

/** Another process serves the call. */
export const TAKEN_OVER: Settlement = { outcome: 'unknown', transaction: null, reason: 'taken_over' }
