import type { SettleResponse } from '@tollbook/gate/x402-messages'
import { databaseTime, later } from '@tollbook/store/database-time'
import type { UpdateObject } from 'kysely'
import type { ChannelOperationTable } from './state/facilitator-tables.ts'
import type { State } from './state/state.ts'
import type { Tables } from './state/tables.ts'

/** How long an answer is stored. */
const KEPT_MS = 8 * 24 * 60 * 60_000

type Change = UpdateObject<Tables, 'channel_operation'>

/** The requests for operations on channels, one row each, leased by the process that works on it. */
export class ChannelOperationRows {
  readonly #state: State
  readonly #leaseMs: number

  constructor(parts: { readonly state: State; readonly leaseMs: number }) {
    this.#state = parts.state
    this.#leaseMs = parts.leaseMs
  }

  /** The row, and whether this request works on it now. */
  async take(id: string): Promise<{ readonly row: ChannelOperationTable; readonly isOurs: boolean }> {
    const { db } = this.#state
    const now = databaseTime(this.#state)
    const leaseUntil = later(now, this.#leaseMs)
    const inserted = await db
      .insertInto('channel_operation')
      .values({ id, hashes: '', answer: null, version: 1, lease_until: leaseUntil, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (inserted) return { row: inserted, isOurs: true }
    const taken = await db
      .updateTable('channel_operation')
      .set(({ eb }) => ({ lease_until: leaseUntil, version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .where('answer', 'is', null)
      .where('lease_until', '<', now)
      .returningAll()
      .executeTakeFirst()
    if (taken) return { row: taken, isOurs: true }
    const row = await db.selectFrom('channel_operation').selectAll().where('id', '=', id).executeTakeFirst()
    return row ? { row, isOurs: false } : this.take(id)
  }

  /**
   * Stores the hashes of transactions before the last of them is sent, and extends the lease.
   * @returns until when, epoch milliseconds; null if another process has the row.
   */
  async noteSending(row: ChannelOperationTable, hashes: readonly string[]): Promise<number | null> {
    const leaseUntil = later(databaseTime(this.#state), this.#leaseMs)
    const leased = await this.#update(row, { hashes: hashes.join(), lease_until: leaseUntil })
      .returning('lease_until')
      .executeTakeFirst()
    return leased ? leased.lease_until : null
  }

  /** Stores the answer, which the same request gets again. */
  async answer(row: ChannelOperationTable, answer: SettleResponse): Promise<void> {
    await this.#update(row, { answer: JSON.stringify(answer) }).execute()
    await this.#state.db
      .deleteFrom('channel_operation')
      .where('created_at', '<', later(databaseTime(this.#state), -KEPT_MS))
      .execute()
  }

  /** Forgets the request: the same one begins anew. */
  async remove({ id, version }: ChannelOperationTable): Promise<void> {
    await this.#state.db
      .deleteFrom('channel_operation')
      .where('id', '=', id)
      .where('version', '=', version)
      .execute()
  }

  /** Ends the lease, so that the same request goes on with the row. */
  async release(row: ChannelOperationTable): Promise<void> {
    await this.#update(row, { lease_until: 0 }).execute()
  }

  /** The same, unless a transaction was stored since the row was read. */
  async releaseUnsent(row: ChannelOperationTable): Promise<void> {
    await this.#update(row, { lease_until: 0 }).where('hashes', '=', row.hashes).execute()
  }

  #update({ id, version }: ChannelOperationTable, change: Change) {
    return this.#state.db
      .updateTable('channel_operation')
      .set(change)
      .where('id', '=', id)
      .where('version', '=', version)
  }
}
