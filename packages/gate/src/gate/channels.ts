import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Logger } from '@tollbook/flow/logger'
import type { Problem } from '@tollbook/http/problem'
import type { CallRows } from '../calls/call-rows.ts'
import type { PayerCredit } from '../calls/payer-credit.ts'
import { type SettleCall, TAKEN_OVER } from '../calls/settle-call.ts'
import type { ChannelStateExtra, Facilitator, Settlement } from '../facilitator.ts'
import type { ChannelPayment, OfferedPayment } from '../payment.ts'
import type { PaymentEvent } from '../payment-event.ts'
import type { State } from '../state/state.ts'
import type { SettleResponse } from '../x402-messages.ts'

/** Payments by vouchers: each charges its channel the price of its call, after the channel was charged for all before. */
export interface Vouchers {
  /** Whether the voucher may start a handler. A deposit is sent to the chain first. @throws as the escrow. */
  admit(payment: OfferedPayment): Promise<Problem | null>
  /** Charges the channel and records the call as paid, in one transaction of the store. */
  settle(call: SettleCall): Promise<Settlement>
  /** The 402 for a voucher that is not the next one, with the state from which its client signs again. */
  stale(channel: ChannelPayment): Promise<Problem>
  stateOf(channel: ChannelPayment): Promise<ChannelStateExtra | null>
}

/** Returns what a channel has not spent, by consent of the seller: at once, and at the seller's gas. */
export interface Refunds {
  refund(payment: OfferedPayment): Promise<SettleResponse | Problem>
}

/** The payment channels of a process. */
export type Channels = {
  readonly vouchers: Vouchers
  readonly refunds: Refunds
  /** Claims what channels owe; run at every heartbeat. Absent if the facilitator has no escrow. */
  readonly claims: { run(): Promise<void> } | undefined
}

/** When what a channel owes is claimed: whichever comes first. */
export type ClaimPolicy = {
  /** Micro-USDC that are not claimed yet. */
  readonly amount: AtomicUsdc
  /** Age of the oldest call that is not claimed. */
  readonly ageMs: number
  /** Time since the newest call. */
  readonly quietMs: number
}

export type OpenChannels = (parts: {
  readonly state: State
  readonly facilitator: Facilitator
  readonly calls: CallRows
  readonly credit: PayerCredit
  readonly logger: Logger
  readonly clock: () => Date
  readonly count: (event: PaymentEvent) => void
  readonly limits: { readonly maxGasPercent: number; readonly claims: ClaimPolicy }
}) => Channels

export const NOT_SOLD: Problem = {
  code: 'payment_invalid',
  detail: 'The payment was rejected: channels are not sold here.',
  members: { reason: 'invalid_batch_settlement_evm_scheme' },
}

/** The channels of a process that sells none; calls that an earlier one left open stay as they are. */
export const refuseChannels: OpenChannels = () => ({
  vouchers: {
    admit: async () => NOT_SOLD,
    settle: async () => TAKEN_OVER,
    stale: async () => NOT_SOLD,
    stateOf: async () => null,
  },
  refunds: { refund: async () => NOT_SOLD },
  claims: undefined,
})
