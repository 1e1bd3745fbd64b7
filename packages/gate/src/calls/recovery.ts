import type { Logger } from '@tollbook/flow/logger'
import type { ChainFinding, ChainReader, Settlement } from '../facilitator.ts'
import { toQuietError } from '../quiet-error.ts'
import type { State } from '../state/state.ts'
import type { AnswerStore } from './answers.ts'
import { type CallRow, findOrphans } from './call-row.ts'
import type { CallRows } from './call-rows.ts'
import type { Owner } from './owners.ts'
import { INTERRUPTED, type Lease } from './reservation.ts'
import type { SettleCall } from './settle-call.ts'
import type { Settler } from './settler.ts'
import { fromStoredOffer } from './stored-offer.ts'

/** Includes long calls of this process, which are skipped. */
const ROWS_AT_ONCE = 500
const CHAIN_TIMEOUT_MS = 10_000
/** The finalized head lags behind the clock; an expired authorization is checked this long after its end. */
const AFTER_END_MS = 5_000
/** An unknown row is checked again after about a tenth of its age, within these bounds. */
const CHECK_MS = { min: 2_000, max: 60_000 }

/**
 * Finishes rows that were left open: by processes that died, and by calls of this process whose outcome was
 * unknown.
 */
export class Recovery {
  readonly #state: State
  readonly #owner: Owner
  readonly #calls: CallRows
  readonly #answers: AnswerStore
  readonly #settler: Settler
  readonly #chainReader: ChainReader
  readonly #logger: Logger
  readonly #clock: () => Date
  readonly #resendAfterMs: number

  constructor(parts: {
    readonly state: State
    readonly owner: Owner
    readonly calls: CallRows
    readonly answers: AnswerStore
    readonly settler: Settler
    readonly chainReader: ChainReader
    readonly logger: Logger
    readonly clock: () => Date
    /** Minimum wait before an unsettled transaction is sent again. */
    readonly resendAfterMs: number
  }) {
    this.#state = parts.state
    this.#owner = parts.owner
    this.#calls = parts.calls
    this.#answers = parts.answers
    this.#settler = parts.settler
    this.#chainReader = parts.chainReader
    this.#logger = parts.logger
    this.#clock = parts.clock
    this.#resendAfterMs = parts.resendAfterMs
  }

  /** Handles all rows that nobody works on and that are due. */
  async recover(): Promise<void> {
    const rows = await findOrphans(this.#state, this.#owner, this.#clock(), ROWS_AT_ONCE)
    const outcomes = await Promise.allSettled(rows.map((row) => this.reconcile(row, false)))
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        this.#logger.error({ err: toQuietError(outcome.reason) }, 'open payment could not be reconciled')
    }
  }

  /**
   * Takes a row that nobody works on and determines its state as far as possible; null if another process was faster.
   * @param isWanted whether the payer requests the answer: only then is a buffered answer settled again.
   */
  async reconcile(row: CallRow, isWanted: boolean): Promise<Settlement | null> {
    const lease = await this.#calls.take(row)
    if (!lease) return null
    try {
      return await this.#reconcile(row, lease, isWanted)
    } finally {
      this.#owner.release(lease.token)
    }
  }

  async #reconcile(row: CallRow, lease: Lease, isWanted: boolean): Promise<Settlement | null> {
    // A staged change blocks others from the same data, and the next call of a channel has the same voucher; the
    // handler runs again when the payer retries.
    const isInTheWay =
      row.state === 'delivered' && (row.has_effect === 1 || row.scheme === 'batch-settlement')
    if (row.state === 'reserved' || row.offer === null || isInTheWay) {
      const interrupted = await this.#interrupt(lease)
      await this.#answers.drop(row.answer_file)
      return interrupted
    }
    const endsAt = row.valid_before * 1000 + AFTER_END_MS
    if (row.state === 'delivered' && this.#nowMs() < endsAt) {
      await this.#calls.abandon(lease, endsAt)
      return null
    }
    const call: SettleCall = {
      service: row.service,
      endpoint: row.endpoint,
      lease,
      payment: fromStoredOffer(row.offer),
      charge: BigInt(row.charge ?? row.signed_amount),
      settledState: row.is_stream === 1 && row.answer_status === null ? 'settled-unfinished' : 'settled',
      keepsOwner: false,
    }
    const settled = await (row.state === 'streaming'
      ? this.#closeStream(row, call)
      : this.#askChain(row, call, isWanted))
    if (settled.outcome === 'failed') await this.#answers.drop(row.answer_file)
    return settled
  }

  /** What was delivered of a stream is owed; one that had not begun, or was not metered yet, costs nothing. */
  async #closeStream(row: CallRow, call: SettleCall): Promise<Settlement> {
    if (row.scheme !== 'upto' || row.bytes_sent === 0) {
      // Every settlement leaves `streaming` before a transaction can exist.
      return this.#interrupt(call.lease)
    }
    await this.#calls.endStream(call.lease, call.charge, row.bytes_sent, null)
    return this.#settler.settle(call)
  }

  async #askChain(row: CallRow, call: SettleCall, isWanted: boolean): Promise<Settlement> {
    const finding = await this.#find(call)
    const concluded = finding && (await this.#settler.conclude(call, finding, true))
    if (concluded) return concluded
    // What a stream delivered is owed, and so is what a seller polls for; a buffered answer that nobody fetched is not.
    const isOwed = this.#owner.kind === 'settlements' || (row.scheme === 'upto' && row.is_stream === 1)
    const isDue = this.#nowMs() - row.updated_at >= this.#resendAfterMs
    const canStillSettle = row.valid_before * 1000 > this.#nowMs()
    const isKept = row.is_stream === 0 && isWanted
    if (finding?.found === 'open' && isDue && canStillSettle && (isOwed || isKept))
      return this.#settler.settle(call)
    return this.#postpone(row, call.lease)
  }

  async #find(call: SettleCall): Promise<ChainFinding | null> {
    try {
      return await this.#chainReader.findSettlement(call.payment, AbortSignal.timeout(CHAIN_TIMEOUT_MS))
    } catch (error) {
      this.#logger.warn(
        { err: toQuietError(error), call: call.lease.id },
        'chain not readable for an open payment',
      )
      return null
    }
  }

  async #postpone(row: CallRow, lease: Lease): Promise<Settlement> {
    const ageMs = this.#nowMs() - row.updated_at
    const waitMs = Math.min(CHECK_MS.max, Math.max(CHECK_MS.min, Math.ceil(ageMs / 10)))
    const reason = row.reason ?? 'settlement_pending'
    await this.#calls.unknown(lease, reason, this.#nowMs() + waitMs)
    return { outcome: 'unknown', transaction: row.tx_hash as `0x${string}` | null, reason }
  }

  /** Releases a call that ended with its process. */
  async #interrupt(lease: Lease): Promise<Settlement> {
    await this.#calls.release(lease, INTERRUPTED, true)
    return { outcome: 'failed', reason: INTERRUPTED, cause: 'operator' }
  }

  #nowMs(): number {
    return this.#clock().getTime()
  }
}
