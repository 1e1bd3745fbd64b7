import type { ChannelConfig } from '@tollbook/chain/digests'
import type { ChannelEscrow, SendOrder } from '@tollbook/gate/facilitator'
import { NOT_SOLD, type Refunds, type Vouchers } from '@tollbook/gate/gate/channels'
import type { OfferedPayment } from '@tollbook/gate/payment'
import type { PaymentPayload, SettleResponse } from '@tollbook/gate/x402-messages'
import { consentToRefund } from './channel-requests.ts'
import { type ChannelRow, type ChannelRows, toChannelState } from './channel-rows.ts'
import type { PendingRefunds } from './pending-refunds.ts'
import { REFUNDING, refused } from './vouchers.ts'

/** Gas of a refund with its claim, and of the deposit that may follow it. */
const REFUND_GAS = 300_000n

export function createRefunds(parts: {
  readonly escrow: ChannelEscrow | undefined
  /** With an escrow. */
  readonly pending: PendingRefunds | undefined
  readonly rows: ChannelRows
  readonly vouchers: Pick<Vouchers, 'stale'>
  /** Maximum gas cost of a refund, in percent of what its channel has paid. */
  readonly maxGasPercent: number
}): Refunds {
  const { escrow, pending, rows, vouchers, maxGasPercent } = parts

  async function send(
    payment: OfferedPayment,
    row: ChannelRow,
    by: ChannelEscrow,
    order: SendOrder,
  ): Promise<SettleResponse> {
    // The decoder has compared it with what the SDK expects.
    const sent = payment.payload as PaymentPayload
    const charged = `${row.charged}`
    const claim = {
      voucher: { channel: sent.payload.channelConfig as ChannelConfig, maxClaimableAmount: charged },
      signature: row.signature,
      totalClaimed: charged,
    }
    const amount = String(sent.payload.amount ?? row.balance - row.charged)
    const consent = await consentToRefund(by.authorizer, by.network, {
      claim,
      amount,
      nonce: row.refund_nonce,
    })
    // The facilitator of the SDK compares the id letter by letter.
    const voucher = { channelId: row.id, maxClaimableAmount: charged, signature: row.signature }
    const whole = { ...sent, payload: { ...sent.payload, voucher, ...consent } }
    return by.settle(whole, payment.terms, order)
  }

  return {
    refund: async (payment) => {
      const { channel, signature } = payment
      if (!channel || !escrow || !pending) return NOT_SOLD
      const reading = await escrow.read(channel.id)
      const known = await rows.find(channel.id)
      if (!known && reading.balance === 0n) return refused('channel_not_found', 'its channel is empty')
      const row =
        known && known.refund !== null ? await pending.end(channel) : await rows.sync(channel, reading)
      if (!row) return REFUNDING
      if (row.charged !== Number(channel.max)) return vouchers.stale(channel)
      if (row.balance <= row.charged) return refused('refund_no_balance', 'nothing of its channel is left')
      const cost = (await escrow.gasCost(REFUND_GAS)) * BigInt(row.refund_nonce + 1)
      if (cost * 100n > BigInt(row.charged) * BigInt(maxGasPercent))
        return refused(
          'refund_gas',
          'the channel has not paid for the gas of its refund; its payer can withdraw',
        )
      const refund = pending.newId(row)
      const change = { ...(await pending.reservation(refund)), signature, signed_max: row.charged }
      if (row.refund !== null || !(await rows.change(row, change))) return REFUNDING
      const order = pending.orderOf({ ...payment, channel }, refund)
      let isSigned = false
      const beforeSend = async () => {
        const until = await order.beforeSend()
        isSigned = true
        return until
      }
      const sent = { ...order, beforeSend }
      const settled = await send(payment, { ...row, ...change }, escrow, sent).catch(async (error) => {
        await pending.end(channel, refund, isSigned)
        throw error
      })
      // Nothing has a hash that was not mined.
      const after = await pending.end(channel, refund, isSigned && settled.transaction === '')
      if (!after) return settled.success ? settled : REFUNDING
      if (!settled.success) return refused('refund_failed', `the refund failed: ${settled.errorReason}`)
      return { ...settled, extra: { channelState: toChannelState(after) } }
    },
  }
}
