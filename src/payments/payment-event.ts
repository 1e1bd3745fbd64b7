import type { AtomicUsdc } from '../money/usdc.ts'

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
