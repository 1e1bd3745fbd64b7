import { type SqlBool, sql } from 'kysely'
import type { State } from '../state/state.ts'
import { sweepPayerCodes } from './payer-codes.ts'
import { isOfKind } from './row-kind.ts'

/** Answers are stored for a day after settling. */
const ANSWER_MS = 24 * 60 * 60_000
/** A released authorization cannot settle once it has expired; chain time lags behind by less than this. */
const RELEASED_MS = 60 * 60_000
const STRIKE_MS = 24 * 60 * 60_000
/** A wallet that did not settle any metered call for this long counts as new again. */
const ALLOWANCE_MS = 30 * 24 * 60 * 60_000
/** Longer than a wallet can be barred: a wallet that did nothing since then counts as new. */
const CREDIT_MS = 366 * 24 * 60 * 60_000
/** How long after its end an authorization that was settled for another seller gets the same answer again. */
const SETTLED_FOR_OTHERS_MS = 7 * 24 * 60 * 60_000
const DEAD_OWNER_MS = 24 * 60 * 60_000
/** On SQLite other writes wait while a statement runs: a few milliseconds for so many rows. */
const ROWS_AT_ONCE = 200

/** Deletes rows and answers that have expired; calls sold here stay once settled, as records of money. */
export async function sweepCalls(state: State, now: Date): Promise<void> {
  const nowMs = now.getTime()
  // Literals, so that both databases can tell that the partial indexes have these rows.
  const answered = () =>
    selectExpired(state, nowMs - ANSWER_MS)
      .where('state', '=', 'settled')
      .where('answer_status', 'is not', null)
      .where('settled_at', '<', nowMs - ANSWER_MS)
  await inBatches(() =>
    state.db
      .updateTable('paid_call')
      .set({ answer_status: null, answer_headers: null, answer_file: null, answer_body: null })
      .where('id', 'in', answered())
      .executeTakeFirst()
      .then(({ numUpdatedRows }) => numUpdatedRows),
  )
  const remove = (expired: () => ReturnType<typeof selectExpired>) =>
    inBatches(() =>
      state.db
        .deleteFrom('paid_call')
        .where('id', 'in', expired())
        .executeTakeFirst()
        .then(({ numDeletedRows }) => numDeletedRows),
    )
  await remove(() => selectExpired(state, nowMs - RELEASED_MS).where(sql<SqlBool>`state = 'released'`))
  await remove(() =>
    selectExpired(state, nowMs - SETTLED_FOR_OTHERS_MS)
      .where('state', '=', 'settled')
      .where(isOfKind('settlements')),
  )
  await state.db
    .deleteFrom('payment_strike')
    .where('struck_at', '<', nowMs - STRIKE_MS)
    .execute()
  await sweepPayerCodes(state, nowMs)
  await state.db
    .deleteFrom('live_allowance')
    .where('changed_at', '<', nowMs - ALLOWANCE_MS)
    .execute()
  await state.db
    .deleteFrom('payer_credit')
    .where('changed_at', '<', nowMs - CREDIT_MS)
    .execute()
  await state.db.deleteFrom('payment_proof').where('expires_at', '<', nowMs).execute()
  await state.db
    .deleteFrom('payment_owner')
    .where('lease_until', '<', nowMs - DEAD_OWNER_MS)
    .execute()
}

/** Some calls whose authorization ended before a time. */
function selectExpired(state: State, beforeMs: number) {
  return state.db
    .selectFrom('paid_call')
    .select('id')
    .where('valid_before', '<', Math.floor(beforeMs / 1000))
    .limit(ROWS_AT_ONCE)
}

/** Repeats a change of a batch until one is not full. @param change returns how many rows it changed */
async function inBatches(change: () => Promise<bigint>): Promise<void> {
  while ((await change()) >= ROWS_AT_ONCE);
}
