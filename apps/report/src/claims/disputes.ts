import { randomUUID } from 'node:crypto'
import type { Address } from '@tollbook/chain/hex'
import { ProblemError } from '@tollbook/http/problem'
import { groupAddress } from '@tollbook/http/request/client-address'
import { sql } from 'kysely'
import type { State } from '../state/state.ts'

/** A note to the operator about a report, from somebody who cannot sign. It changes no figure. */
export type Dispute = {
  readonly id: string
  readonly address: Address
  /** Last day of the published week it concerns; null for the rolling window. */
  readonly week: string | null
  /** How to contact its author; for the operator only, never logged. */
  readonly contact: string | null
  readonly text: string
  readonly receivedAt: Date
  readonly closedAt: Date | null
}

export const MAX_CONTACT_CHARACTERS = 200
export const MAX_DISPUTE_CHARACTERS = 4_000
/** Notes of one client on one UTC day. */
const MAX_PER_DAY = 5
/** Open notes; about 160 MB at the maximum length. */
const MAX_OPEN = 10_000

/**
 * Stores a note for the operator, and the daily count of its client's address.
 * @throws ProblemError `rate_limited` above five a day, `unavailable` when too many notes are open.
 */
export async function fileDispute(
  state: State,
  note: Pick<Dispute, 'address' | 'week' | 'contact' | 'text'>,
  { client, now }: { readonly client: string; readonly now: Date },
): Promise<Dispute> {
  const day = now.toISOString().slice(0, 10)
  const dispute = { ...note, id: randomUUID(), receivedAt: now, closedAt: null }
  await state.db.deleteFrom('dispute_quota').where('day', '<', day).execute()
  await state.db.transaction().execute(async (transaction) => {
    // Written first: the client's row of the day guards its count.
    const { disputes } = await transaction
      .insertInto('dispute_quota')
      .values({ day, client: groupAddress(client), disputes: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'client'])
          .doUpdateSet(({ eb }) => ({ disputes: eb('dispute_quota.disputes', '+', 1) })),
      )
      .returning('disputes')
      .executeTakeFirstOrThrow()
    if (disputes > MAX_PER_DAY) throw tooManyToday(now)
    const { open } = await transaction
      .selectFrom('dispute')
      .select(sql<number>`cast(count(*) as bigint)`.as('open'))
      .where('closed_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (open >= MAX_OPEN) {
      const detail = 'Too many notes are waiting for the operator; try again another day.'
      throw new ProblemError({ code: 'unavailable', detail })
    }
    const { id, address, week, contact, text } = dispute
    const row = { id, address, week, contact, body: text, received_at: now.getTime(), closed_at: null }
    await transaction.insertInto('dispute').values(row).execute()
  })
  return dispute
}

/** Notes, newest first. */
export async function listDisputes(
  state: State,
  { isOpen, max }: { readonly isOpen: boolean; readonly max: number },
): Promise<readonly Dispute[]> {
  const rows = await state.db
    .selectFrom('dispute')
    .selectAll()
    .$if(isOpen, (query) => query.where('closed_at', 'is', null))
    .orderBy('received_at', 'desc')
    .orderBy('id')
    .limit(max)
    .execute()
  return rows.map(({ id, address, week, contact, body, received_at, closed_at }) => ({
    id,
    week,
    contact,
    text: body,
    address: address as Address,
    receivedAt: new Date(received_at),
    closedAt: closed_at === null ? null : new Date(closed_at),
  }))
}

/** Marks a note as resolved; false when there is no open note with that id. */
export async function closeDispute(state: State, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await state.db
    .updateTable('dispute')
    .set({ closed_at: now.getTime() })
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

function tooManyToday(now: Date): ProblemError {
  const nextDayMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)
  const retryAfterSeconds = Math.ceil((nextDayMs - now.getTime()) / 1000)
  const detail = `At most ${MAX_PER_DAY} notes a day are accepted from one address.`
  return new ProblemError({ code: 'rate_limited', detail, retryAfterSeconds })
}
