import type { Transaction } from 'kysely'
import type { Tables } from '../state/tables.ts'
import type { Edition } from './compose-edition.ts'

/** 29 columns a row stay far below the limit of 32,766 parameters in an SQLite statement. */
const ROWS_PER_STATEMENT = 500
/** How long an unused basis is kept, since a publication on another machine may be in progress. */
const UNUSED_BASIS_MS = 86_400_000

/** Adds the inputs of an edition unless they are stored, and deletes those that no report refers to. */
export async function storeBasis(
  transaction: Transaction<Tables>,
  basis: Edition['basis'],
  now: Date,
): Promise<void> {
  const used_at = now.getTime()
  await transaction
    .insertInto('report_bases')
    .values({ ...basis, used_at })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ used_at }))
    .execute()
  await transaction
    .deleteFrom('report_bases')
    .where('used_at', '<', used_at - UNUSED_BASIS_MS)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('report_editions').select('edition').whereRef('basis', '=', 'report_bases.digest')),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('reports')
            .select('address')
            .where('revision', '=', 0)
            .whereRef('basis', '=', 'report_bases.digest'),
        ),
      ),
    )
    .execute()
}

export async function insertRows(transaction: Transaction<Tables>, rows: Edition['reports']): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const some = rows.slice(at, at + ROWS_PER_STATEMENT)
    const figures = some.map((row) => row.figures)
    const texts = some.map((row) => row.text)
    await transaction.insertInto('reports').values(figures).execute()
    await transaction.insertInto('report_texts').values(texts).execute()
  }
}

/** Removes the reports of these merchants from an edition before it is rewritten. */
export async function removeRows(
  transaction: Transaction<Tables>,
  edition: string,
  merchants: readonly string[],
): Promise<void> {
  for (let at = 0; at < merchants.length; at += ROWS_PER_STATEMENT) {
    const some = merchants.slice(at, at + ROWS_PER_STATEMENT)
    for (const table of ['reports', 'report_texts'] as const) {
      await transaction
        .deleteFrom(table)
        .where('edition', '=', edition)
        .where('address', 'in', some)
        .execute()
    }
  }
}
