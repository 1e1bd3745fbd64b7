import type { Address, Hex } from '@tollbook/chain/hex'
import { withDeadline } from '@tollbook/flow/deadline'
import type { Logger } from '@tollbook/flow/logger'
import { createSemaphore, type Semaphore } from '@tollbook/flow/semaphore'
import { inStep } from '@tollbook/flow/trace'
import type { ChainFinding, ChainReader, Facilitator, Settlement } from '../facilitator.ts'
import type { NoteSettlement } from '../payment-event.ts'
import { toQuietError } from '../quiet-error.ts'
import type { CallRows } from './call-rows.ts'
import type { PayerCredit } from './payer-credit.ts'
import { type SettleCall, TAKEN_OVER } from './settle-call.ts'
import type { SettlementOutcomes } from './settlement-outcomes.ts'

/** Thrown into a facilitator that is about to send a transaction for a row that this process has lost. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** Moves money for leased rows: for a running call, its retry, or the recovery. */
export class Settler {
  readonly #calls: CallRows
  readonly #outcomes: SettlementOutcomes
  readonly #credit: PayerCredit
  readonly #facilitator: Facilitator
  readonly #chainReader: ChainReader
  readonly #logger: Logger
  readonly #settleMs: number
  readonly #settleVoucher: (call: SettleCall) => Promise<Settlement>
  readonly #noteSettlement: NoteSettlement | undefined
  /** Limits how many settlements of one payer are on their way at once. */
  readonly #turns: Semaphore

  constructor(parts: {
    readonly calls: CallRows
    readonly outcomes: SettlementOutcomes
    readonly credit: PayerCredit
    readonly facilitator: Facilitator
    readonly chainReader: ChainReader
    readonly logger: Logger
    readonly settleMs: number
    readonly settleVoucher: (call: SettleCall) => Promise<Settlement>
    readonly noteSettlement: NoteSettlement | undefined
  }) {
    const { credit } = parts
    this.#calls = parts.calls
    this.#outcomes = parts.outcomes
    this.#credit = credit
    this.#facilitator = parts.facilitator
    this.#chainReader = parts.chainReader
    this.#logger = parts.logger
    this.#settleMs = parts.settleMs
    this.#settleVoucher = parts.settleVoucher
    this.#noteSettlement = parts.noteSettlement
    this.#turns = createSemaphore({
      max: (payer) => credit.maxSettling(payer as Address),
      maxWaiting: Number.POSITIVE_INFINITY,
    })
  }

  /** The outcome, after the row was updated. */
  async settle(call: SettleCall): Promise<Settlement> {
    const startedMs = performance.now()
    const settlement = await inStep('settle', async (span) => {
      const settled = await (call.payment.channel ? this.#settleVoucher(call) : this.#sendInTurn(call))
      span?.set('tollbook.outcome', settled.outcome)
      if (settled.outcome !== 'failed') span?.set('tollbook.transaction', settled.transaction ?? 'none')
      return settled
    })
    const tookMs = performance.now() - startedMs
    this.#noteSettlement?.({ service: call.service, outcome: settlement.outcome, tookMs })
    return settlement
  }

  /** Records the chain's state of a row; null if it is not conclusive yet. */
  async conclude(call: SettleCall, finding: ChainFinding, needsFinal: boolean): Promise<Settlement | null> {
    switch (finding.found) {
      case 'settled':
        if (needsFinal && !finding.isFinal) return null
        if (finding.amount !== call.charge) {
          this.#logger.error(
            { call: call.lease.id, transaction: finding.transaction },
            'settled with a different amount',
          )
          return null
        }
        return this.#outcomes.succeed(call, finding, true)
      case 'cancelled':
        if (needsFinal && !finding.isFinal) return null
        return this.#outcomes.fail(call, 'authorization_cancelled', 'payer')
      case 'expired':
        return this.#outcomes.fail(call, 'authorization_expired', 'operator')
      case 'open':
        return null
    }
    finding satisfies never
  }

  async #sendInTurn(call: SettleCall): Promise<Settlement> {
    // Awaited below: this avoids an unhandled rejection if it fails before the facilitator waits for it.
    call.delivered?.catch(() => {})
    const { payer } = call.payment
    const release =
      this.#turns.tryAcquire(payer) ??
      (await withDeadline(this.#settleMs, (signal) => this.#turns.acquire(signal, payer)).catch(() => null))
    try {
      // Another settlement of this payer may have reverted in the meantime.
      const isBarred = this.#credit.isBarred(payer)
      if (release && !isBarred) return await this.#send(call)
      if ((await call.delivered) === false) return TAKEN_OVER
      if (!isBarred) return await this.#outcomes.markUnknown(call, null, 'settlement_waiting')
      return await withDeadline(this.#settleMs, (signal) => this.#reconsider(call, BARRED, signal))
    } finally {
      release?.()
    }
  }

  async #send(call: SettleCall): Promise<Settlement> {
    const settlement = await withDeadline(this.#settleMs, (signal) => this.#askFacilitator(call, signal))
    if ((await call.delivered) === false || settlement === 'lost') return TAKEN_OVER
    switch (settlement.outcome) {
      case 'settled':
        return this.#outcomes.succeed(call, settlement, false)
      case 'failed':
        return withDeadline(this.#settleMs, (signal) => this.#reconsider(call, settlement, signal))
      case 'unknown':
        return (
          (await this.#concludeReverted(call, settlement.transaction)) ??
          this.#outcomes.markUnknown(call, settlement.transaction, settlement.reason)
        )
    }
  }

  async #askFacilitator(call: SettleCall, signal: AbortSignal): Promise<Settlement | 'lost'> {
    let isLost = false
    try {
      const settlement = await this.#facilitator.settle(
        {
          payment: call.payment,
          amount: call.charge,
          isCovered: this.#credit.isCovered(call.payment.payer),
          // A keyed hash.
          key: call.lease.id,
          beforeSend: async (transaction) => {
            if (await this.#mayBeSent(call, transaction)) return
            isLost = true
            throw new LeaseLost('another process has taken this payment')
          },
        },
        signal,
      )
      return isLost ? 'lost' : settlement
    } catch (error) {
      if (isLost) return 'lost'
      this.#logger.warn(
        { err: toQuietError(error), call: call.lease.id },
        'the facilitator did not answer a settlement',
      )
      return { outcome: 'unknown', transaction: null, reason: 'facilitator_failed' }
    }
  }

  /** Stores the hash after the answer; if the store keeps the order of writes, both share one commit. */
  async #mayBeSent(call: SettleCall, transaction: Hex | null): Promise<boolean> {
    if (!this.#calls.keepsOrder && (await call.delivered) === false) return false
    const isOurs = await this.#calls.settling(call.lease, transaction)
    return isOurs && (await call.delivered) !== false
  }

  /** The facilitator is certain that it did not settle: perhaps someone else submitted the authorization. */
  async #reconsider(
    call: SettleCall,
    { reason, cause, burnt }: Extract<Settlement, { outcome: 'failed' }>,
    signal: AbortSignal,
  ): Promise<Settlement> {
    const outcomes = this.#outcomes
    if (burnt) await outcomes.burn(call, burnt)
    let finding: ChainFinding
    try {
      finding = await this.#chainReader.findSettlement(call.payment, signal)
    } catch (error) {
      this.#logger.warn(
        { err: toQuietError(error), call: call.lease.id },
        'chain not readable after a failed settlement',
      )
      return outcomes.markUnknown(call, null, reason)
    }
    if (finding.found === 'cancelled' && cause === 'reverted')
      return outcomes.fail(call, 'authorization_cancelled', cause)
    const concluded = await this.conclude(call, finding, false)
    if (concluded) return concluded
    if (finding.found === 'open') return outcomes.fail(call, reason, cause)
    return outcomes.markUnknown(call, null, reason)
  }

  /**
   * A remote facilitator may return nothing but the hash of a transaction that reverted. If it had sent another one
   * before, that one has paid. Otherwise the row stays open, and the payer is refused from now on.
   */
  async #concludeReverted(call: SettleCall, transaction: Hex | null): Promise<Settlement | null> {
    if (transaction === null) return null
    const chain = this.#chainReader
    const finding = await withDeadline(this.#settleMs, async (signal) =>
      (await chain.hasReverted(transaction, signal)) ? chain.findSettlement(call.payment, signal) : null,
    )
      // If the chain cannot be read either, nothing is known about the payer.
      .catch(() => null)
    if (finding?.found === 'settled') return this.conclude(call, finding, false)
    if (finding) await this.#outcomes.strike(call, 'reverted')
    return null
  }
}

const BARRED: Extract<Settlement, { outcome: 'failed' }> = {
  outcome: 'failed',
  reason: 'wallet_barred',
  cause: 'operator',
}
