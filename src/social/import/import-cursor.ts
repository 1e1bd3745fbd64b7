import type { Transaction } from 'kysely'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'
import type { SocialImportCounts } from './import-counts.ts'
import type { ImportPlace, ImportSource } from './import-source.ts'

/** Progress of the import of a source. */
export type ImportCursor = {
  readonly place: ImportPlace | null
  readonly counts: SocialImportCounts
  /** All objects of an import are stored with this time, even if it is interrupted. */
  readonly startedAt: Date
  /** The position of the first relation; those of later ones are lower. Null before there is one. */
  readonly relationsFrom: number | null
  readonly finishedAt: Date | null
}

/** Null if the import of the source has not started. */
export async function readCursor(state: State, fingerprint: string): Promise<ImportCursor | null> {
  const row = await state.db
    .selectFrom('social_import')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  if (!row) return null
  return {
    place: { part: row.part, items: row.items },
    // Written by saveCursor.
    counts: JSON.parse(row.counts) as SocialImportCounts,
    startedAt: new Date(row.started_at),
    relationsFrom: row.relations_from,
    finishedAt: row.finished_at === null ? null : new Date(row.finished_at),
  }
}

/** Stores the progress of an import in the transaction that stores its objects. */
export async function saveCursor(
  transaction: Transaction<Tables>,
  { fingerprint, name }: ImportSource,
  { place, counts, startedAt, relationsFrom, finishedAt, now }: ImportCursor & { readonly now: Date },
): Promise<void> {
  const row = {
    fingerprint,
    name,
    part: place?.part ?? '',
    items: place?.items ?? 0,
    counts: JSON.stringify(counts),
    started_at: startedAt.getTime(),
    relations_from: relationsFrom,
    updated_at: now.getTime(),
    finished_at: finishedAt?.getTime() ?? null,
  }
  await transaction
    .insertInto('social_import')
    .values(row)
    .onConflict((conflict) => conflict.column('fingerprint').doUpdateSet(row))
    .execute()
}
