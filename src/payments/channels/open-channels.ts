import type { Logger } from 'pino'
import type { Facilitator } from '../facilitator.ts'
import type { CallRows } from '../ledger/call-rows.ts'
import type { PayerCredit } from '../ledger/payer-credit.ts'
import type { PaymentEvent } from '../payment-event.ts'
import type { State } from '../state/state.ts'
import { createChannelRows } from './channel-rows.ts'
import { type ClaimPolicy, type Claims, createClaims } from './claims.ts'
import { createDeposits } from './deposits.ts'
import { createPendingRefunds } from './pending-refunds.ts'
import { createRefunds, type Refunds } from './refunds.ts'
import { createVouchers, type Vouchers } from './vouchers.ts'

/** The payment channels of a process: nothing but refusals if its facilitator has no escrow. */
export type Channels = {
  readonly vouchers: Vouchers
  readonly refunds: Refunds
  readonly claims: Claims
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
  const { state, facilitator, clock, limits } = parts
  const { escrow } = facilitator
  const rows = createChannelRows(state, clock)
  const deposits = escrow && createDeposits({ ...parts, escrow })
  const pending = escrow && createPendingRefunds({ escrow, rows, state })
  const vouchers = createVouchers({ ...parts, escrow, rows, deposits, pending })
  return {
    vouchers,
    refunds: createRefunds({ ...limits, escrow, pending, rows, vouchers }),
    claims: escrow
      ? createClaims({ ...parts, escrow, rows, policy: limits.claims })
      : { run: async () => {} },
  }
}
