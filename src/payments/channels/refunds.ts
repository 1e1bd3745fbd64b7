import { randomUUID } from 'node:crypto'
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types'
import type { Problem } from '../../http/problem.ts'
import type { ChannelEscrow } from '../facilitator.ts'
import type { ChannelPayment, OfferedPayment } from '../payment.ts'
import { type ChannelRow, type ChannelRows, toChannelState } from './channel-rows.ts'
import { toChannelStorage } from './channel-storage.ts'
import { REFUNDING, refused, type Vouchers } from './vouchers.ts'

/** Nothing is charged meanwhile; a transaction that was sent is mined by then, or replaced by an empty one. */
const REFUND_MS = 10 * 60_000
/** Gas of a refund with its claim, and of the deposit that may follow it. */
const REFUND_GAS = 300_000n
/** The SDK's reasons for which a transaction may exist. */
const UNCERTAIN = /transaction_failed|pending|exception/

/** Returns what a channel has not spent, by consent of the seller: at once, and at the seller's gas. */
export interface Refunds {
  refund(payment: OfferedPayment): Promise<SettleResponse | Problem>
}

export function createRefunds(parts: {
  readonly escrow: ChannelEscrow | undefined
  readonly rows: ChannelRows
  readonly vouchers: Vouchers
  /** Maximum gas cost of a refund, in percent of what its channel has paid. */
  readonly maxGasPercent: number
  readonly clock: () => Date
}): Refunds {
  const { escrow, rows, vouchers, maxGasPercent, clock } = parts

  async function send(payment: OfferedPayment, row: ChannelRow, by: ChannelEscrow): Promise<SettleResponse> {
    const { BatchSettlementEvmScheme } = await import('@x402/evm/batch-settlement/server')
    const { payload: envelope, terms, payTo } = payment
    const scheme = new BatchSettlementEvmScheme(payTo, {
      storage: toChannelStorage(rows),
      receiverAuthorizerSigner: by.authorizer,
    })
    // The decoder has compared both with what the SDK expects.
    const paymentPayload = envelope as PaymentPayload
    const requirements = terms as PaymentRequirements
    scheme.mergeRequestContext(paymentPayload, { channelId: row.id, pendingId: row.refund ?? '' })
    const added = await scheme.enrichSettlementPayload({ paymentPayload, requirements } as never)
    const whole = { ...paymentPayload, payload: { ...paymentPayload.payload, ...added } }
    return by.settle(whole, requirements)
  }

  /** Ends the refund, so that the channel can be charged again. Retries if a claim changed the row meanwhile. */
  async function release(channel: ChannelPayment, by: ChannelEscrow): Promise<ChannelRow> {
    for (;;) {
      const row = await rows.sync(channel, await by.read(channel.id))
      const isClaimed = row.charged <= row.claimed
      const change = { refund: null, refund_until: 0, ...(isClaimed && { unclaimed_since: null }) }
      if (await rows.change(row, change)) return row
    }
  }

  return {
    refund: async (payment) => {
      const { channel, signature } = payment
      if (!channel || !escrow) return refused('scheme', 'channels are not sold here')
      const reading = await escrow.read(channel.id)
      const known = await rows.find(channel.id)
      if (!known && reading.balance === 0n) return refused('channel_not_found', 'its channel is empty')
      const row = await rows.sync(channel, reading)
      if (row.charged !== Number(channel.max)) return vouchers.stale(channel)
      if (row.refund_until > clock().getTime()) return REFUNDING
      if (row.balance <= row.charged) return refused('refund_no_balance', 'nothing of its channel is left')
      const cost = (await escrow.gasCost(REFUND_GAS)) * BigInt(row.refund_nonce + 1)
      if (cost * 100n > BigInt(row.charged) * BigInt(maxGasPercent))
        return refused(
          'refund_gas',
          'the channel has not paid for the gas of its refund; its payer can withdraw',
        )
      const refund = randomUUID()
      const refundUntil = clock().getTime() + REFUND_MS
      const change = { refund, refund_until: refundUntil, signature, signed_max: row.charged }
      if (!(await rows.change(row, change))) return REFUNDING
      const settled = await send(payment, { ...row, ...change }, escrow)
      if (!settled.success && UNCERTAIN.test(settled.errorReason ?? '')) return REFUNDING
      const after = await release(channel, escrow)
      if (!settled.success) return refused('refund_failed', `the refund failed: ${settled.errorReason}`)
      return { ...settled, extra: { channelState: toChannelState(after) } }
    },
  }
}
