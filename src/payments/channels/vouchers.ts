import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type { Hex } from '../../chain/hex.ts'
import type { Problem } from '../../http/problem.ts'
import type { ChannelEscrow, ChannelStateExtra, Settlement } from '../facilitator.ts'
import type { CallRows } from '../ledger/call-rows.ts'
import { type SettleCall, TAKEN_OVER } from '../ledger/settle-call.ts'
import type { ChannelPayment, OfferedPayment } from '../payment.ts'
import type { PaymentEvent } from '../payment-event.ts'
import { type ChannelRow, type ChannelRows, toChannelState } from './channel-rows.ts'
import type { Deposits } from './deposits.ts'
import type { PendingRefunds } from './pending-refunds.ts'

/** The SDK's code for a voucher that is not the next one of its channel; its client then signs again, once. */
export const STALE = 'invalid_batch_settlement_evm_cumulative_amount_mismatch'
/** Chosen: a third of the shortest delay of a withdrawal, so that one is noticed well before it is paid. */
const MAX_READING_AGE_MS = 5 * 60_000

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

export function createVouchers(parts: {
  readonly escrow: ChannelEscrow | undefined
  /** With an escrow, as `pending`. */
  readonly deposits: Deposits | undefined
  readonly pending: PendingRefunds | undefined
  readonly rows: ChannelRows
  readonly calls: CallRows
  readonly clock: () => Date
  readonly count: (event: PaymentEvent) => void
}): Vouchers {
  const { escrow, deposits, pending, rows, calls, clock, count } = parts
  /** Transactions of deposits that came with a voucher. */
  const sent = new WeakMap<OfferedPayment, Hex>()
  const nowMs = () => clock().getTime()

  function isFresh(row: ChannelRow, { max, kind }: ChannelPayment): boolean {
    const isUntouched = row.withdraw_at === 0 && row.balance >= Number(max) && kind === 'voucher'
    return isUntouched && nowMs() - row.synced_at < MAX_READING_AGE_MS
  }

  async function deposit(
    payment: OfferedPayment,
    { amount = '0', config }: ChannelPayment,
    by: Deposits,
    isSent: () => Promise<boolean>,
  ): Promise<Problem | null> {
    if (BigInt(amount) < BigInt(String(payment.terms.extra.minDeposit)))
      return refused('deposit_below_min_deposit', 'its deposit is below `extra.minDeposit`')
    // The decoder has compared both with what the SDK expects.
    const envelope = payment.payload as PaymentPayload
    const requirements = payment.terms as PaymentRequirements
    let isSigned = false
    const beforeSend = async () => {
      isSigned = true
    }
    const order = { payment, beforeSend }
    const settled = await by.send(config.payer, envelope, requirements, order)
    if (settled.success) sent.set(payment, settled.transaction as Hex)
    // Nothing has a hash that was not mined; the store may still execute the statement that stores the transaction.
    else if ((isSigned && settled.transaction === '') || (await isSent())) return DEPOSITING
    return settled.success ? null : refused('deposit_failed', `its deposit failed: ${settled.errorReason}`)
  }

  async function admit(payment: OfferedPayment): Promise<Problem | null> {
    const { channel, signedAmount } = payment
    if (!channel || !escrow || !deposits || !pending) return NOT_SOLD
    const max = Number(channel.max)
    let row = await rows.find(channel.id)
    if (row && row.refund !== null) {
      row = await pending.end(channel)
      if (!row) return REFUNDING
    }
    let failed: Problem | null = null
    if (!row || !isFresh(row, channel)) {
      const reading = await escrow.read(channel.id)
      const charged = Math.max(row?.charged ?? 0, Number(reading.totalClaimed))
      const isShort = charged + Number(signedAmount) === max && reading.balance < BigInt(max)
      const isSent = async () => ['pending', 'mined'].includes((await escrow.findSent(payment, [])).found)
      // Any other deposit would be sent in vain, at our gas.
      if (channel.kind === 'deposit' && isShort && reading.withdrawRequestedAt === 0) {
        // A second one would revert, and bar an honest payer.
        if (await isSent()) return DEPOSITING
        failed = await deposit(payment, channel, deposits, isSent)
      }
      const now = sent.has(payment) ? await escrow.read(channel.id) : reading
      // A node that lags has not seen the deposit.
      if (sent.has(payment) && now.balance <= reading.balance) return DEPOSITING
      // Anyone can name channels that do not exist.
      if (now.balance === 0n)
        return failed ?? refused('channel_not_found', 'the escrow holds nothing for its channel')
      row = await rows.sync(channel, now)
    }
    if (row.charged + Number(signedAmount) !== max) return toStale(row)
    if (row.withdraw_at > 0) return refused('channel_busy', 'its payer withdraws from the channel')
    if (row.refund !== null) return REFUNDING
    // A deposit may have been sent before, by a run that ended with its process.
    return row.balance >= max
      ? null
      : (failed ?? refused('cumulative_exceeds_balance', 'its channel holds less', 'payment_insufficient'))
  }

  async function stale(channel: ChannelPayment): Promise<Problem> {
    const row = await rows.find(channel.id)
    return row ? toStale(row) : refused('channel_not_found', 'its channel is not known here')
  }

  return {
    admit,
    stale,
    stateOf: async (channel) => {
      const row = await rows.find(channel.id)
      return row && toChannelState(row)
    },
    settle: async (call) => {
      const { claim, payment, charge, settledState, keepsOwner, service, endpoint } = call
      const { channel, signature } = payment
      if (!channel || (await call.delivered) === false) return TAKEN_OVER
      let charged: ChannelRow | null | undefined
      const transaction = sent.get(payment) ?? null
      const settledAt = nowMs()
      const isSettled = await calls.settled(claim, {
        transaction,
        amount: charge,
        settledAt,
        state: settledState,
        keepsOwner,
        advance: async (within) => {
          charged = await rows.charge(within, { channel, signature, price: Number(charge) })
          return charged !== null
        },
      })
      if (isSettled && charged) {
        count({ kind: 'settled', service, endpoint, amount: charge })
        const channelState = toChannelState(charged)
        return { outcome: 'settled', transaction, amount: charge, settledAt, channelState }
      }
      if (charged !== null) return TAKEN_OVER
      const problem = await stale(channel)
      await calls.release(claim, STALE, true)
      count({ kind: 'settlement_failed', service, endpoint })
      return { outcome: 'failed', reason: STALE, cause: 'payer', problem }
    },
  }
}

function toStale(row: ChannelRow): Problem {
  const { signature, signed_max: max } = row
  const channelState = toChannelState(row)
  const voucherState = signature === '0x' ? {} : { voucherState: { signedMaxClaimable: `${max}`, signature } }
  return {
    code: 'payment_invalid',
    detail: 'The payment was rejected: its voucher is not the next one of its channel.',
    members: { reason: STALE, channel: { channelState, ...voucherState } },
  }
}

/** @param reason without the SDK's prefix. */
export function refused(
  reason: string,
  detail: string,
  code: 'payment_invalid' | 'payment_insufficient' = 'payment_invalid',
): Problem {
  const members = { reason: `invalid_batch_settlement_evm_${reason}` }
  return { code, detail: `The payment was rejected: ${detail}.`, members }
}

export const NOT_SOLD = refused('scheme', 'channels are not sold here')

const DEPOSITING: Problem = {
  code: 'payment_in_flight',
  detail: 'The deposit of this payment is under way. Retry with the same payment.',
  retryAfterSeconds: 5,
}

export const REFUNDING: Problem = {
  code: 'payment_in_flight',
  detail: 'A refund of this channel is under way. Retry with the same payment.',
  retryAfterSeconds: 5,
}
