import type { Transaction } from 'kysely'
import type { Tables } from '../../state/tables.ts'
import type { Relation } from '../provider.ts'

/** Rows per statement, so that no statement exceeds the parameter limit of either database. */
const ROWS_AT_ONCE = 200

/** Positions per millisecond; the product stays below 2^53 until the year 2109. */
const PLACES_PER_MS = 2048

type Reserving = { readonly count: number; readonly fetchedAt: Date }

/**
 * Reserves positions above all that any process has reserved, regardless of its clock. Other reservations
 * wait until this transaction ends.
 * @returns the highest position.
 */
export async function reservePlaces(
  transaction: Transaction<Tables>,
  { count, fetchedAt }: Reserving,
): Promise<number> {
  const byTime = fetchedAt.getTime() * PLACES_PER_MS
  const { last } = await transaction
    .insertInto('social_relation_place')
    .values({ one: 1, last: byTime })
    .onConflict((conflict) =>
      conflict.column('one').doUpdateSet((eb) => ({
        last: eb
          .case()
          .when(eb('social_relation_place.last', '>', byTime - count))
          .then(eb('social_relation_place.last', '+', count))
          .else(eb.ref('excluded.last'))
          .end(),
      })),
    )
    .returning('last')
    .executeTakeFirstOrThrow()
  return last
}

/** Newer relations have higher positions; an existing one keeps its position. */
export async function saveRelations(
  transaction: Transaction<Tables>,
  relations: readonly Relation[],
  first: number,
): Promise<void> {
  const rows = relations.map(({ kind, from, to }, at) => ({
    kind,
    from_id: from,
    to_id: to,
    pos: first - at,
  }))
  for (const batch of batches(rows))
    await transaction
      .insertInto('social_relation')
      .values(batch)
      .onConflict((conflict) => conflict.columns(['kind', 'to_id', 'from_id']).doNothing())
      .execute()
}

/** Splits rows into batches of one statement each. */
export function batches<Row>(rows: readonly Row[]): Row[][] {
  const starts = Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, at) => at * ROWS_AT_ONCE)
  return starts.map((start) => rows.slice(start, start + ROWS_AT_ONCE))
}
