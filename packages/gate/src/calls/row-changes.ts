import { isUniqueConflict } from '@tollbook/store/conflict'
import type { InsertObject, Kysely, UpdateObject } from 'kysely'
import type { CallState } from '../state/payment-tables.ts'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'
import { moveWithEffect, takeEffect } from './call-effects.ts'
import { type CallRow, isOwnerAlive } from './call-row.ts'
import type { Owner } from './owners.ts'
import { createPrepared, type Prepared } from './prepared.ts'
import type { Lease, SettledOutcome } from './reservation.ts'
import { createSharedTransactions, runAlone, type Work } from './shared-transactions.ts'

type Change = UpdateObject<Tables, 'paid_call'>

/** Changes of single rows of calls by compare-and-swap. False and null mean that the row is not yours. */
export class RowChanges {
  readonly #state: State
  readonly #owner: Owner
  readonly #prepared: Prepared
  readonly #share: (work: Work) => Promise<boolean>

  constructor(parts: { readonly state: State; readonly owner: Owner }) {
    this.#state = parts.state
    this.#owner = parts.owner
    this.#prepared = createPrepared(parts.state)
    this.#share = createSharedTransactions(parts.state)
  }

  /** Adds a row, unless its payment or its identifier has one. @param row always the same columns. */
  async insert(row: InsertObject<Tables, 'paid_call'> & { readonly claim: string }): Promise<boolean> {
    const build = () =>
      this.#state.db
        .insertInto('paid_call')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
    try {
      // Nothing is owed yet: the next write flushes it to disk, and a power failure before that undoes the call.
      return (await this.#prepared.run('reserve', Object.values(row), build, true)) === 1
    } catch (error) {
      return this.#notBegun(row.claim, error)
    }
  }

  /** @param isLazy whether it may be acknowledged before it is on disk. */
  async move(lease: Lease, from: readonly CallState[], change: Change, isLazy = false): Promise<boolean> {
    const parameters = [...Object.values(change), lease.id, lease.token, ...from]
    const key = `${from}>${Object.keys(change)}`
    const build = () =>
      this.#state.db
        .updateTable('paid_call')
        .set(change)
        .where('id', '=', lease.id)
        .where('claim', '=', lease.token)
        .where('state', 'in', from)
    return (await this.#prepared.run(key, parameters, build, isLazy)) === 1
  }

  /** As `move`, for the end of a call: its staged change is written or discarded in the same transaction. */
  end(
    lease: Lease,
    from: readonly CallState[],
    change: Change,
    how: 'apply' | 'discard',
    advance?: SettledOutcome['advance'],
  ): Promise<boolean> {
    const work = moveWithEffect({ lease, from, change, ...(advance && { advance }) }, how)
    if (lease.effect.mayBeStaged) return runAlone(this.#state, work)
    if (advance) return this.#share(work)
    // Settled: the row is on disk as settling, and after a power failure the chain tells the rest.
    return this.move(lease, from, change, how === 'apply')
  }

  /** Takes a row that nobody works on, and changes it, if it is exactly as it was read. */
  async seize(row: CallRow, change: Change, reservedAt?: number): Promise<Lease | null> {
    const token = this.#owner.newLease()
    // What an earlier run staged and never settled is not part of a new run.
    const isAgain = change.has_effect === 0 && row.has_effect === 1
    const update = (db: Kysely<Tables>) => this.#updateUnowned(db, row, { ...change, claim: token })
    const seized = isAgain
      ? this.#state.db.transaction().execute(async (transaction) => {
          if (!(await update(transaction))) return false
          await takeEffect(transaction, row.id, 'discard')
          return true
        })
      : update(this.#state.db)
    const isSeized = await seized.catch((error: unknown) => this.#notBegun(token, error))
    if (!isSeized) {
      this.#owner.release(token)
      return null
    }
    const { runs = row.runs } = change
    const effect = { mayBeStaged: row.has_effect === 1 && !isAgain }
    return { id: row.id, token, reservedAt: reservedAt ?? row.reserved_at, runs: Number(runs), effect }
  }

  async #updateUnowned(db: Kysely<Tables>, row: CallRow, change: Change): Promise<boolean> {
    const owner = this.#owner
    const result = await db
      .updateTable('paid_call')
      .set({ ...change, owner: owner.id })
      .where('id', '=', row.id)
      .where('claim', '=', row.claim)
      .where('state', '=', row.state)
      .where('runs', '=', row.runs)
      .where('has_effect', '=', row.has_effect)
      .where((expression) =>
        expression.or([
          expression('owner', 'is', null),
          expression('owner', '=', owner.id),
          expression.not(isOwnerAlive(expression, owner.leaseTime())),
        ]),
      )
      .executeTakeFirst()
    return result.numUpdatedRows === 1n
  }

  /** A payment under the same identifier was faster, or the store failed. */
  #notBegun(token: string, error: unknown): false {
    if (isUniqueConflict(error)) return false
    this.#owner.release(token)
    throw error
  }
}
