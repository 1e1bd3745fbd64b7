import type { Transaction } from 'kysely'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'
import type { ImportSource } from './import-source.ts'
import type { ImportedObjects } from './imported-objects.ts'

/** Progress of the import of a source. */
export type ImportCursor = {
  /** Number of values already read. */
  readonly items: number
  readonly counts: SocialImportCounts
  /** All objects of an import are stored with this time, even if it is interrupted. */
  readonly startedAt: Date
  /** The position of the first relation; those of later ones are lower. Null before there is one. */
  readonly relationsFrom: number | null
  readonly finishedAt: Date | null
}

/** Counts of what was imported from a source; `skipped` counts values with an invalid format. */
export type SocialImportCounts = {
  readonly users: number
  readonly tweets: number
  readonly media: number
  readonly lists: number
  readonly communities: number
  readonly articles: number
  readonly relations: number
  readonly skipped: number
}

export const NO_COUNTS: SocialImportCounts = Object.freeze({
  users: 0,
  tweets: 0,
  media: 0,
  lists: 0,
  communities: 0,
  articles: 0,
  relations: 0,
  skipped: 0,
})

const NAMES = [
  'users',
  'tweets',
  'media',
  'lists',
  'communities',
  'articles',
  'relations',
  'skipped',
] as const

/** Null if the import of the source has not started. */
export async function readCursor(state: State, fingerprint: string): Promise<ImportCursor | null> {
  const row = await state.db
    .selectFrom('social_import')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  if (!row) return null
  return {
    items: row.items,
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
  { items, counts, startedAt, relationsFrom, finishedAt, now }: ImportCursor & { readonly now: Date },
): Promise<void> {
  const row = {
    fingerprint,
    name,
    part: '',
    items,
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

export function addCounts(one: SocialImportCounts, other: SocialImportCounts): SocialImportCounts {
  const sums = NAMES.map((name) => [name, one[name] + other[name]] as const)
  return { ...NO_COUNTS, ...Object.fromEntries(sums) }
}

export function countObjects({ bundle, issues }: ImportedObjects): SocialImportCounts {
  const counts = Object.entries(bundle).map(([name, objects]) => [name, objects.length] as const)
  return { ...NO_COUNTS, ...Object.fromEntries(counts), skipped: issues.length }
}
