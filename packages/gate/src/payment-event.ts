import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Settlement } from './facilitator.ts'

/** Bounds in seconds: a chain that mines at once, blocks of two seconds, the longest wait for a receipt. */
export const SETTLEMENT_BOUNDS = [0.01, 0.05, 0.2, 0.5, 1, 2, 4, 8, 16, 30]

/** Reports how long a settlement took, for the metrics. */
export type NoteSettlement = (settlement: {
  readonly service: string
  readonly outcome: Settlement['outcome']
  /** From the call's request to settle to the outcome, including its wait for other settlements. */
  readonly tookMs: number
}) => void

/** What happened to a call, for the metrics. */
export type PaymentEvent = {
  readonly kind:
    | 'challenged'
    | 'refused'
    | 'settled'
    | 'settlement_failed'
    | 'settlement_unknown'
    | 'repeated'
    | 'struck'
    | 'gas_burnt'
  readonly service: string
  readonly endpoint: string
  /** The problem's code, if the answer was a problem. */
  readonly code?: string
  /** Micro-USDC, if something settled. */
  readonly amount?: AtomicUsdc
  /** What the gas of its settlement cost, micro-USDC, if known. */
  readonly gasCost?: AtomicUsdc | undefined
  /** Gas of a reverted transaction. */
  readonly gas?: bigint
}
