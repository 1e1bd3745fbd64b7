import type { OpenChannels } from '@tollbook/gate/gate/channels'
import { createChannelRows } from './channel-rows.ts'
import { Claims } from './claims.ts'
import { createDeposits } from './deposits.ts'
import { createPendingRefunds } from './pending-refunds.ts'
import { createRefunds } from './refunds.ts'
import { ChannelVouchers } from './vouchers.ts'

/** The payment channels of a process: nothing but refusals if its facilitator has no escrow. */
export const openChannels: OpenChannels = (parts) => {
  const { state, facilitator, calls, credit, logger, clock, count, limits } = parts
  const { escrow } = facilitator
  const rows = createChannelRows(state, clock)
  const deposits = escrow && createDeposits({ escrow, credit })
  const pending = escrow && createPendingRefunds({ escrow, rows, state })
  const vouchers = new ChannelVouchers({ escrow, deposits, pending, rows, calls, clock, count })
  return {
    vouchers,
    refunds: createRefunds({ escrow, pending, rows, vouchers, maxGasPercent: limits.maxGasPercent }),
    claims: escrow && new Claims({ state, escrow, rows, policy: limits.claims, logger, clock }),
  }
}
