import type { Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { CallState } from '../state/payment-tables.ts'
import type { State } from '../state/state.ts'
import { CLOSED, NO_ANSWER, toAnswerColumns, toCallColumns, toColumn } from './call-columns.ts'
import { type CallRow, findCall, findIdentifiedCall } from './call-row.ts'
import type { Owner } from './owners.ts'
import {
  type AnswerRow,
  canRerun,
  canRunAgain,
  countRuns,
  type Lease,
  type PaymentNames,
  type Reservation,
  type SettledOutcome,
} from './reservation.ts'
import { RowChanges } from './row-changes.ts'

/** States in which a transaction may be pending. */
const MAY_SETTLE: readonly CallState[] = ['delivered', 'streaming', 'settling', 'unknown']

/**
 * The calls paid for, one row for each authorization: every method that changes a row is one compare-and-swap
 * statement. False and null mean that the row is not yours.
 */
export class CallRows {
  /**
   * Whether statements take effect in the order of their calls, as with a single writer thread: the next may
   * then be issued before the last has completed.
   */
  readonly keepsOrder: boolean
  readonly #state: State
  readonly #owner: Owner
  readonly #clock: () => Date
  readonly #changes: RowChanges
  #lastReservedAt = 0

  constructor(parts: { readonly state: State; readonly owner: Owner; readonly clock: () => Date }) {
    this.#state = parts.state
    this.#owner = parts.owner
    this.#clock = parts.clock
    this.#changes = new RowChanges(parts)
    this.keepsOrder = parts.state.kind === 'sqlite'
  }

  find(id: string): Promise<CallRow | null> {
    return findCall(this.#state, id, this.#owner)
  }

  /** The call first made under a payment-identifier, with whatever payment. */
  async findIdentified({ payment, identifier }: PaymentNames): Promise<CallRow | null> {
    if (identifier === null) return null
    return findIdentifiedCall(this.#state, { payer: payment.payer.toLowerCase(), identifier }, this.#owner)
  }

  /** Begins the first run; null if the authorization or its identifier is already recorded. */
  async reserve(reservation: Reservation): Promise<Lease | null> {
    const { id, payment } = reservation
    const token = this.#owner.newLease()
    const columns = this.#toCallColumns(reservation)
    const isReserved = await this.#changes.insert({
      ...columns,
      id,
      payer: payment.payer.toLowerCase(),
      nonce: payment.nonce,
      network: payment.terms.network,
      asset: payment.terms.asset,
      is_stream: 0,
      runs: 1,
      is_rerun: 0,
      owner: this.#owner.id,
      claim: token,
      bytes_sent: 0,
    })
    if (isReserved)
      return { id, token, reservedAt: columns.reserved_at, runs: 1, effect: { mayBeStaged: false } }
    this.#owner.release(token)
    return null
  }

  /** released, or reserved by a dead process -> reserved. */
  async reserveAgain(row: CallRow, reservation: Reservation): Promise<Lease | null> {
    if (!canRunAgain(row, reservation)) return null
    const again = this.#toCallColumns(reservation)
    const runs = countRuns(row, reservation) + 1
    return this.#changes.seize(row, { ...again, ...NO_ANSWER, runs, has_effect: 0 }, again.reserved_at)
  }

  /** settled-unfinished: begins a further run, which is free. */
  async rerun(row: CallRow): Promise<Lease | null> {
    return canRerun(row) ? this.#changes.seize(row, { runs: row.runs + 1, is_rerun: 1 }) : null
  }

  /** Takes a row that nobody works on, in the state in which it was read. */
  take(row: CallRow): Promise<Lease | null> {
    return this.#changes.seize(row, {})
  }

  /** reserved -> delivered: the answer is stored before money moves. */
  deliver(lease: Lease, charge: AtomicUsdc, answer: AnswerRow): Promise<boolean> {
    return this.#changes.move(lease, ['reserved'], {
      state: 'delivered',
      updated_at: this.#nowMs(),
      charge: toColumn(charge),
      ...toAnswerColumns(answer),
    })
  }

  /** reserved -> streaming, before the first byte is sent. */
  beginStream(lease: Lease, charge: AtomicUsdc): Promise<boolean> {
    return this.#changes.move(lease, ['reserved'], {
      state: 'streaming',
      updated_at: this.#nowMs(),
      is_stream: 1,
      bytes_sent: 0,
      charge: toColumn(charge),
    })
  }

  /** streaming -> streaming: what would be settled after a crash. */
  checkpoint(lease: Lease, charge: AtomicUsdc, bytesSent: number): Promise<boolean> {
    return this.#changes.move(lease, ['streaming'], { charge: toColumn(charge), bytes_sent: bytesSent })
  }

  /** streaming -> settling: the final charge of a stream, with its text if some of it is held back. */
  endStream(lease: Lease, charge: AtomicUsdc, bytesSent: number, answer: AnswerRow | null): Promise<boolean> {
    return this.#changes.move(lease, ['streaming'], {
      state: 'settling',
      updated_at: this.#nowMs(),
      charge: toColumn(charge),
      bytes_sent: bytesSent,
      ...(answer && toAnswerColumns(answer)),
    })
  }

  /**
   * delivered, streaming, settling or unknown -> settling, before the transaction is sent (null: we do not
   * send it).
   */
  settling(lease: Lease, transaction: Hex | null): Promise<boolean> {
    return this.#changes.move(lease, MAY_SETTLE, {
      state: 'settling',
      updated_at: this.#nowMs(),
      // An answer that nobody fetched had been left alone until its authorization ends.
      check_at: 0,
      ...(transaction !== null && { tx_hash: transaction }),
    })
  }

  /** -> settled or settled-unfinished, and writes the staged change. A row that is still streaming keeps its owner. */
  settled(lease: Lease, outcome: SettledOutcome): Promise<boolean> {
    const { transaction, amount, settledAt, gasCost, state, keepsOwner, advance } = outcome
    const change = {
      ...CLOSED,
      ...(keepsOwner && { owner: this.#owner.id }),
      state,
      updated_at: this.#nowMs(),
      tx_hash: transaction,
      charge: toColumn(amount),
      settled_at: settledAt,
      gas_cost: gasCost === undefined ? null : toColumn(gasCost),
    }
    return this.#changes.end(lease, MAY_SETTLE, change, 'apply', advance)
  }

  /** settled-unfinished -> settled, with the text that repeats it; or gives up ownership without it. */
  finish(lease: Lease, isFinished: boolean, answer: AnswerRow | null): Promise<boolean> {
    const change = {
      owner: null,
      ...(isFinished && { state: 'settled' as const }),
      ...(answer && toAnswerColumns(answer)),
    }
    // After a power failure, a stream that was delivered whole may be delivered once more.
    return this.#changes.move(lease, ['settled-unfinished'], change, true)
  }

  /** -> unknown: the reconciler checks again at `checkAt` (epoch milliseconds); `updated_at` stays. */
  unknown(lease: Lease, reason: string, checkAt: number): Promise<boolean> {
    return this.#changes.move(lease, MAY_SETTLE, { state: 'unknown', owner: null, reason, check_at: checkAt })
  }

  /** delivered stays delivered, without owner, until the payer retries or the authorization ends. */
  abandon(lease: Lease, checkAt: number): Promise<boolean> {
    return this.#changes.move(lease, ['delivered'], { owner: null, check_at: checkAt })
  }

  /** -> released: nothing was or will be charged; its stored answer and staged change are deleted. */
  release(lease: Lease, reason: string, didRun: boolean): Promise<boolean> {
    const change = {
      ...CLOSED,
      ...NO_ANSWER,
      state: 'released' as const,
      updated_at: this.#nowMs(),
      charge: null,
      reason,
      ...(!didRun && { runs: lease.runs - 1 }),
    }
    return this.#changes.end(lease, ['reserved', ...MAY_SETTLE], change, 'discard')
  }

  #toCallColumns(reservation: Reservation) {
    return toCallColumns(reservation, this.#nextReservedAt(), this.#nowMs())
  }

  /** Microseconds, so that calls within one millisecond still have an order. */
  #nextReservedAt(): number {
    this.#lastReservedAt = Math.max(this.#lastReservedAt + 1, this.#clock().getTime() * 1000)
    return this.#lastReservedAt
  }

  #nowMs(): number {
    return this.#clock().getTime()
  }
}
