import type { Address } from '../../catalogue/endpoint.ts'
import type { CallState } from '../../state/tables/payments.ts'
import type { Hex } from '../payment.ts'

/** What a payer, or whoever was given the id, may read about a call: nothing that the chain does not show, but the endpoint. */
export type Receipt = {
  readonly id: string
  readonly state: CallState
  readonly service: string
  readonly endpoint: string
  readonly scheme: 'exact' | 'upto'
  readonly network: string
  readonly asset: Address
  readonly payer: Address
  readonly payTo: Address
  /** Micro-USDC that was signed; the maximum under `upto`. */
  readonly signedAmount: string
  /** Micro-USDC that was or will be taken; null while it is not known. */
  readonly amount: string | null
  readonly transaction: Hex | null
  readonly reason: string | null
  readonly reservedAt: string
  readonly settledAt: string | null
}
