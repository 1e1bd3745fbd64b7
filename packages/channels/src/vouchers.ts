import type { Hex } from '@tollbook/chain/hex'
import type { CallRows } from '@tollbook/gate/calls/call-rows'
import { type SettleCall, TAKEN_OVER } from '@tollbook/gate/calls/settle-call'
import type { ChannelEscrow, ChannelStateExtra, Settlement } from '@tollbook/gate/facilitator'
import { NOT_SOLD, type Vouchers } from '@tollbook/gate/gate/channels'
import type { ChannelPayment, OfferedPayment } from '@tollbook/gate/payment'
import type { PaymentEvent } from '@tollbook/gate/payment-event'
import type { PaymentPayload } from '@tollbook/gate/x402-messages'
import type { Problem } from '@tollbook/http/problem'
import { type ChannelRow, type ChannelRows, toChannelState } from './channel-rows.ts'
import type { Deposits } from './deposits.ts'
import type { PendingRefunds } from './pending-refunds.ts'

/** The SDK's code for a voucher that is not the next one of its channel; its client then signs again, once. */
export const STALE = 'invalid_batch_settlement_evm_cumulative_amount_mismatch'
/** Chosen: a third of the shortest delay of a withdrawal, so that one is noticed well before it is paid. */
const MAX_READING_AGE_MS = 5 * 60_000

/** The vouchers of channels whose rows are in the store. */
export class ChannelVouchers implements Vouchers {
  readonly #escrow: ChannelEscrow | undefined
  readonly #deposits: Deposits | undefined
  readonly #pending: PendingRefunds | undefined
  readonly #rows: ChannelRows
  readonly #calls: CallRows
  readonly #clock: () => Date
  readonly #count: (event: PaymentEvent) => void
  /** Transactions of deposits that came with a voucher. */
  readonly #sent = new WeakMap<OfferedPayment, Hex>()

  constructor(parts: {
    readonly escrow: ChannelEscrow | undefined
    /** With an escrow, as `pending`. */
    readonly deposits: Deposits | undefined
    readonly pending: PendingRefunds | undefined
    readonly rows: ChannelRows
    readonly calls: CallRows
    readonly clock: () => Date
    readonly count: (event: PaymentEvent) => void
  }) {
    this.#escrow = parts.escrow
    this.#deposits = parts.deposits
    this.#pending = parts.pending
    this.#rows = parts.rows
    this.#calls = parts.calls
    this.#clock = parts.clock
    this.#count = parts.count
  }

  async admit(payment: OfferedPayment): Promise<Problem | null> {
    const { channel, signedAmount } = payment
    if (!channel || !this.#escrow || !this.#deposits || !this.#pending) return NOT_SOLD
    const max = Number(channel.max)
    let row = await this.#rows.find(channel.id)
    if (row && row.refund !== null) {
      row = await this.#pending.end(channel)
      if (!row) return REFUNDING
    }
    let failed: Problem | null = null
    if (!row || !this.#isFresh(row, channel)) {
      const read = await this.#readChannel(payment, channel, row, this.#escrow, this.#deposits)
      if (!read.row) return read.problem
      row = read.row
      failed = read.problem
    }
    if (row.charged + Number(signedAmount) !== max) return toStale(row)
    if (row.withdraw_at > 0) return refused('channel_busy', 'its payer withdraws from the channel')
    if (row.refund !== null) return REFUNDING
    // A deposit may have been sent before, by a run that ended with its process.
    return row.balance >= max
      ? null
      : (failed ?? refused('cumulative_exceeds_balance', 'its channel holds less', 'payment_insufficient'))
  }

  async settle(call: SettleCall): Promise<Settlement> {
    const { lease, payment, charge, settledState, keepsOwner, service, endpoint } = call
    const { channel, signature } = payment
    if (!channel || (await call.delivered) === false) return TAKEN_OVER
    let charged: ChannelRow | null | undefined
    const transaction = this.#sent.get(payment) ?? null
    const settledAt = this.#clock().getTime()
    const isSettled = await this.#calls.settled(lease, {
      transaction,
      amount: charge,
      settledAt,
      state: settledState,
      keepsOwner,
      advance: async (within) => {
        charged = await this.#rows.charge(within, { channel, signature, price: Number(charge) })
        return charged !== null
      },
    })
    if (isSettled && charged) {
      this.#count({ kind: 'settled', service, endpoint, amount: charge })
      const channelState = toChannelState(charged)
      return { outcome: 'settled', transaction, amount: charge, settledAt, channelState }
    }
    if (charged !== null) return TAKEN_OVER
    const problem = await this.stale(channel)
    await this.#calls.release(lease, STALE, true)
    this.#count({ kind: 'settlement_failed', service, endpoint })
    return { outcome: 'failed', reason: STALE, cause: 'payer', problem }
  }

  async stale(channel: ChannelPayment): Promise<Problem> {
    const row = await this.#rows.find(channel.id)
    return row ? toStale(row) : refused('channel_not_found', 'its channel is not known here')
  }

  async stateOf(channel: ChannelPayment): Promise<ChannelStateExtra | null> {
    const row = await this.#rows.find(channel.id)
    return row && toChannelState(row)
  }

  /**
   * The row as the chain has the channel, after the deposit that came with the voucher.
   * @returns without a row, why the voucher buys nothing; with one, why its deposit failed, or null.
   */
  async #readChannel(
    payment: OfferedPayment,
    channel: ChannelPayment,
    before: ChannelRow | null,
    escrow: ChannelEscrow,
    deposits: Deposits,
  ): Promise<
    | { readonly row: ChannelRow; readonly problem: Problem | null }
    | { readonly row: null; readonly problem: Problem }
  > {
    const max = BigInt(channel.max)
    const reading = await escrow.read(channel.id)
    const charged = Math.max(before?.charged ?? 0, Number(reading.totalClaimed))
    const isShort = charged + Number(payment.signedAmount) === Number(max) && reading.balance < max
    const isSent = async () => ['pending', 'mined'].includes((await escrow.findSent(payment, [])).found)
    let failed: Problem | null = null
    // Any other deposit would be sent in vain, at our gas.
    if (channel.kind === 'deposit' && isShort && reading.withdrawRequestedAt === 0) {
      // A second one would revert, and bar an honest payer.
      if (await isSent()) return { row: null, problem: DEPOSITING }
      failed = await this.#deposit(payment, channel, deposits, isSent)
    }
    const hasSent = this.#sent.has(payment)
    const now = hasSent ? await escrow.read(channel.id) : reading
    // A node that lags has not seen the deposit.
    if (hasSent && now.balance <= reading.balance) return { row: null, problem: DEPOSITING }
    // Anyone can name channels that do not exist.
    if (now.balance === 0n)
      return {
        row: null,
        problem: failed ?? refused('channel_not_found', 'the escrow holds nothing for its channel'),
      }
    return { row: await this.#rows.sync(channel, now), problem: failed }
  }

  async #deposit(
    payment: OfferedPayment,
    { amount = '0', config }: ChannelPayment,
    deposits: Deposits,
    isSent: () => Promise<boolean>,
  ): Promise<Problem | null> {
    if (BigInt(amount) < BigInt(String(payment.terms.extra.minDeposit)))
      return refused('deposit_below_min_deposit', 'its deposit is below `extra.minDeposit`')
    // The decoder has compared it with what the SDK expects.
    const envelope = payment.payload as PaymentPayload
    let isSigned = false
    const beforeSend = async () => {
      isSigned = true
    }
    const settled = await deposits.send(config.payer, envelope, payment.terms, { payment, beforeSend })
    if (settled.success) this.#sent.set(payment, settled.transaction as Hex)
    // Nothing has a hash that was not mined; the store may still execute the statement that stores the transaction.
    else if ((isSigned && settled.transaction === '') || (await isSent())) return DEPOSITING
    return settled.success ? null : refused('deposit_failed', `its deposit failed: ${settled.errorReason}`)
  }

  #isFresh(row: ChannelRow, { max, kind }: ChannelPayment): boolean {
    const isUntouched = row.withdraw_at === 0 && row.balance >= Number(max) && kind === 'voucher'
    return isUntouched && this.#clock().getTime() - row.synced_at < MAX_READING_AGE_MS
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
