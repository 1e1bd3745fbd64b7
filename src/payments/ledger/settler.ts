import type { Logger } from 'pino'
import type { Address, Hex } from '../../chain/hex.ts'
import { withDeadline } from '../../flow/deadline.ts'
import { createSemaphore } from '../../flow/semaphore.ts'
import { inStep } from '../../flow/trace.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { ChainFinding, ChainReader, Facilitator, FailureCause, Settlement } from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'
import type { NoteSettlement, PaymentEvent } from '../payment-event.ts'
import { toQuietError } from '../quiet-error.ts'
import type { CallRows } from './call-rows.ts'
import type { Exposure } from './exposure.ts'
import type { PayerCodes } from './payer-codes.ts'
import type { PayerCredit } from './payer-credit.ts'
import type { Claim } from './reservation.ts'

export type SettleCall = {
  readonly service: string
  readonly endpoint: string
  readonly claim: Claim
  readonly payment: OfferedPayment
  readonly charge: AtomicUsdc
  readonly settledState: 'settled' | 'settled-unfinished'
  /**
   * The pending write of the answer or of the stream's start, if any; no transaction is sent before it has
   * completed.
   */
  readonly delivered?: Promise<boolean>
  /** Whether the caller continues with the row after it is settled. */
  readonly keepsOwner: boolean
}

/** Moves money for claimed rows: for a running call, its retry, or the recovery. */
export interface Settler {
  /** The outcome, after the row was updated. */
  settle(call: SettleCall): Promise<Settlement>
  /** Records the chain's state of a row; null if it is not conclusive yet. */
  conclude(call: SettleCall, finding: ChainFinding, needsFinal: boolean): Promise<Settlement | null>
}

/** An unknown outcome is first checked after this time. */
const FIRST_CHECK_MS = 2_000

/** Thrown into a facilitator that is about to send a transaction for a row that this process has lost. */
class ClaimLost extends Error {
  override readonly name = 'ClaimLost'
}

export function createSettler(options: {
  readonly calls: CallRows
  readonly exposure: Exposure
  readonly payerCodes: PayerCodes
  readonly credit: PayerCredit
  readonly facilitator: Facilitator
  readonly chainReader: ChainReader
  readonly logger: Logger
  readonly clock: () => Date
  readonly settleMs: number
  readonly settleVoucher: Settler['settle']
  readonly count: (event: PaymentEvent) => void
  readonly noteSettlement?: NoteSettlement
}): Settler {
  const { calls, exposure, payerCodes, credit, facilitator, chainReader, logger, clock, settleMs } = options
  const turns = createSemaphore({
    max: (payer) => credit.maxSettling(payer as Address),
    maxWaiting: Number.POSITIVE_INFINITY,
  })

  function count({ service, endpoint }: SettleCall, kind: PaymentEvent['kind']): void {
    options.count({ kind, service, endpoint })
  }

  /** Stores the hash after the answer; if the store keeps the order of writes, both share one commit. */
  async function mayBeSent(call: SettleCall, transaction: Hex | null): Promise<boolean> {
    if (!calls.keepsOrder && (await call.delivered) === false) return false
    const isOurs = await calls.settling(call.claim, transaction)
    return isOurs && (await call.delivered) !== false
  }

  async function ask(call: SettleCall, signal: AbortSignal): Promise<Settlement | 'lost'> {
    let isLost = false
    try {
      const settlement = await facilitator.settle(
        {
          payment: call.payment,
          amount: call.charge,
          isCovered: credit.isCovered(call.payment.payer),
          // A keyed hash.
          key: call.claim.id,
          beforeSend: async (transaction) => {
            if (await mayBeSent(call, transaction)) return
            isLost = true
            throw new ClaimLost('another process has taken this payment')
          },
        },
        signal,
      )
      return isLost ? 'lost' : settlement
    } catch (error) {
      if (isLost) return 'lost'
      logger.warn(
        { err: toQuietError(error), call: call.claim.id },
        'the facilitator did not answer a settlement',
      )
      return { outcome: 'unknown', transaction: null, reason: 'facilitator_failed' }
    }
  }

  async function succeed(
    call: SettleCall,
    found: {
      readonly transaction: Hex | null
      readonly amount: AtomicUsdc
      readonly gasCost?: AtomicUsdc | undefined
      readonly wasFound: boolean
    },
  ): Promise<Settlement> {
    const { transaction, amount, gasCost, wasFound } = found
    options.count({ kind: 'settled', service: call.service, endpoint: call.endpoint, amount, gasCost })
    const { settledState, keepsOwner } = call
    const settledAt = clock().getTime()
    const outcome = { transaction, amount, settledAt, gasCost, state: settledState, keepsOwner }
    // Money has moved: if the row cannot be updated now, the recovery reads the outcome from the chain.
    await Promise.all([
      exposure.noteSettled(call.payment, amount),
      credit.noteSettled(call.payment.payer),
      calls.settled(call.claim, outcome),
    ]).catch((error: unknown) =>
      logger.error({ err: toQuietError(error), call: call.claim.id }, 'settled, but not recorded'),
    )
    return { outcome: 'settled', transaction, amount, wasFound, settledAt }
  }

  /** A failure that is not ours is a strike; one that cost a transaction is all of them at once. */
  async function strike(call: SettleCall, cause: FailureCause): Promise<void> {
    if (cause === 'operator') return
    await exposure.strike(call.claim, call.payment.payer, cause === 'reverted')
    count(call, 'struck')
  }

  async function fail(call: SettleCall, reason: string, cause: FailureCause): Promise<Settlement> {
    await strike(call, cause)
    await exposure.noteUnsettled(call.payment)
    await calls.release(call.claim, reason, true)
    count(call, 'settlement_failed')
    return { outcome: 'failed', reason, cause }
  }

  async function markUnknown(call: SettleCall, transaction: Hex | null, reason: string): Promise<Settlement> {
    await calls.unknown(call.claim, reason, clock().getTime() + FIRST_CHECK_MS)
    count(call, 'settlement_unknown')
    return { outcome: 'unknown', transaction, reason }
  }

  async function conclude(
    call: SettleCall,
    finding: ChainFinding,
    needsFinal: boolean,
  ): Promise<Settlement | null> {
    switch (finding.found) {
      case 'settled':
        if (needsFinal && !finding.isFinal) return null
        if (finding.amount !== call.charge) {
          logger.error(
            { call: call.claim.id, transaction: finding.transaction },
            'settled with a different amount',
          )
          return null
        }
        return succeed(call, { ...finding, wasFound: true })
      case 'cancelled':
        return finding.isFinal || !needsFinal ? fail(call, 'authorization_cancelled', 'payer') : null
      case 'expired':
        return fail(call, 'authorization_expired', 'operator')
      case 'open':
        return null
    }
    finding satisfies never
  }

  /** The facilitator is certain that it did not settle: perhaps someone else submitted the authorization. */
  async function reconsider(
    call: SettleCall,
    { reason, cause, burnt }: Extract<Settlement, { outcome: 'failed' }>,
    signal: AbortSignal,
  ): Promise<Settlement> {
    if (burnt) {
      await credit.noteReverted(call.payment.payer)
      if (burnt.codeHash || call.payment.permit) await payerCodes.burn(call.claim, burnt.codeHash, burnt.gas)
      const { service, endpoint } = call
      options.count({ kind: 'gas_burnt', service, endpoint, gas: burnt.gas })
    }
    let finding: ChainFinding
    try {
      finding = await chainReader.findSettlement(call.payment, signal)
    } catch (error) {
      logger.warn(
        { err: toQuietError(error), call: call.claim.id },
        'chain not readable after a failed settlement',
      )
      return markUnknown(call, null, reason)
    }
    if (finding.found === 'cancelled' && cause === 'reverted')
      return fail(call, 'authorization_cancelled', cause)
    const concluded = await conclude(call, finding, false)
    if (concluded) return concluded
    if (finding.found === 'open') return fail(call, reason, cause)
    return markUnknown(call, null, reason)
  }

  /** A remote facilitator may return nothing but the hash: the row stays open, and the payer is refused from now on. */
  async function strikeReverted(call: SettleCall, transaction: Hex | null): Promise<void> {
    if (transaction === null) return
    const hasReverted = await withDeadline(settleMs, (signal) => chainReader.hasReverted(transaction, signal))
      // If the chain cannot be read either, nothing is known about the payer.
      .catch(() => false)
    if (hasReverted) await strike(call, 'reverted')
  }

  async function send(call: SettleCall): Promise<Settlement> {
    const settlement = await withDeadline(settleMs, (signal) => ask(call, signal))
    if ((await call.delivered) === false || settlement === 'lost') return TAKEN_OVER
    switch (settlement.outcome) {
      case 'settled':
        return succeed(call, { ...settlement, wasFound: false })
      case 'failed':
        return withDeadline(settleMs, (signal) => reconsider(call, settlement, signal))
      case 'unknown':
        await strikeReverted(call, settlement.transaction)
        return markUnknown(call, settlement.transaction, settlement.reason)
    }
  }

  async function sendInTurn(call: SettleCall): Promise<Settlement> {
    // Awaited below: this avoids an unhandled rejection if it fails before the facilitator waits for it.
    call.delivered?.catch(() => {})
    const { payer } = call.payment
    const release =
      turns.tryAcquire(payer) ??
      (await withDeadline(settleMs, (signal) => turns.acquire(signal, payer)).catch(() => null))
    try {
      // Another settlement of this payer may have reverted in the meantime.
      const isBarred = credit.isBarred(payer)
      if (release && !isBarred) return await send(call)
      if ((await call.delivered) === false) return TAKEN_OVER
      if (!isBarred) return await markUnknown(call, null, 'settlement_waiting')
      return await withDeadline(settleMs, (signal) => reconsider(call, BARRED, signal))
    } finally {
      release?.()
    }
  }

  return {
    conclude,
    settle: async (call) => {
      const startedMs = performance.now()
      const settlement = await inStep('settle', async (span) => {
        const settled = await (call.payment.channel ? options.settleVoucher(call) : sendInTurn(call))
        span?.set('tollbook.outcome', settled.outcome)
        if (settled.outcome !== 'failed') span?.set('tollbook.transaction', settled.transaction ?? 'none')
        return settled
      })
      const tookMs = performance.now() - startedMs
      options.noteSettlement?.({ service: call.service, outcome: settlement.outcome, tookMs })
      return settlement
    },
  }
}

const BARRED: Extract<Settlement, { outcome: 'failed' }> = {
  outcome: 'failed',
  reason: 'wallet_barred',
  cause: 'operator',
}

/** Another process serves the call. */
export const TAKEN_OVER: Settlement = { outcome: 'unknown', transaction: null, reason: 'taken_over' }
