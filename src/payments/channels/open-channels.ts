import type { Logger } from 'pino'
import type { CallRows } from '../calls/call-rows.ts'
import type { PayerCredit } from '../calls/payer-credit.ts'
import type { Facilitator } from '../facilitator.ts'
import type { PaymentEvent } from '../payment-event.ts'
import type { State } from '../state/state.ts'
import { createChannelRows } from './channel-rows.ts'
import { type ClaimPolicy, Claims } from './claims.ts'
import { createDeposits } from './deposits.ts'
import { createPendingRefunds } from './pending-refunds.ts'
import { createRefunds, type Refunds } from './refunds.ts'
import { Vouchers } from './vouchers.ts'

/** The payment channels of a process: nothing but refusals if its facilitator has no escrow. */
export type Channels = {
  readonly vouchers: Vouchers
  readonly refunds: Refunds
  readonly claims: Claims | undefined
}

export function openChannels(parts: {
  readonly state: State
  readonly facilitator: Facilitator
  readonly calls: CallRows
  readonly credit: PayerCredit
  readonly logger: Logger
  readonly clock: () => Date
  readonly count: (event: PaymentEvent) => void
  readonly limits: { readonly maxGasPercent: number; readonly claims: ClaimPolicy }
}): Channels {
  const { state, facilitator, calls, credit, logger, clock, count, limits } = parts
  const { escrow } = facilitator
  const rows = createChannelRows(state, clock)
  const deposits = escrow && createDeposits({ escrow, credit })
  const pending = escrow && createPendingRefunds({ escrow, rows, state })
  const vouchers = new Vouchers({ escrow, deposits, pending, rows, calls, clock, count })
  return {
    vouchers,
    refunds: createRefunds({ escrow, pending, rows, vouchers, maxGasPercent: limits.maxGasPercent }),
    claims: escrow && new Claims({ state, escrow, rows, policy: limits.claims, logger, clock }),
  }
}
