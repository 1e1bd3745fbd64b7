import { type Kysely, type Selectable, sql } from 'kysely'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'

export type StoredReport = Selectable<Tables['reports']> &
  Pick<Selectable<Tables['report_texts']>, 'body' | 'inputs'>
export type StoredEdition = Selectable<Tables['report_editions']>

/** One revision of an edition, the newest by default; undefined when it was never published. */
export function loadEdition(
  state: State,
  edition: string,
  revision?: number,
): Promise<StoredEdition | undefined> {
  let select = state.db.selectFrom('report_editions').selectAll().where('edition', '=', edition)
  if (revision !== undefined) select = select.where('revision', '=', revision)
  return select.orderBy('revision', 'desc').limit(1).executeTakeFirst()
}

/** Every revision of a week, oldest first. */
export function loadRevisions(state: State, week: string): Promise<readonly StoredEdition[]> {
  return state.db
    .selectFrom('report_editions')
    .selectAll()
    .where('edition', '=', week)
    .where('revision', '>', 0)
    .orderBy('revision')
    .execute()
}

/** A merchant's report in one revision, the newest by default; undefined if that one lacks it. */
export function loadReport(
  state: State,
  edition: string,
  address: string,
  revision?: number,
): Promise<StoredReport | undefined> {
  return selectReports(state)
    .selectAll('reports')
    .select(['report_texts.body', 'report_texts.inputs'])
    .where('reports.edition', '=', edition)
    .where('reports.address', '=', address)
    .where('reports.revision', '=', revision ?? newestRevision(state.db, edition))
    .executeTakeFirst()
}

export function selectReports({ db }: State) {
  return db
    .selectFrom('reports')
    .innerJoin('report_texts', (join) =>
      join
        .onRef('report_texts.edition', '=', 'reports.edition')
        .onRef('report_texts.address', '=', 'reports.address')
        .onRef('report_texts.revision', '=', 'reports.revision'),
    )
}

/** The published weeks, newest first. */
export async function loadWeeks(state: State, max: number): Promise<readonly string[]> {
  const rows = await state.db
    .selectFrom('report_editions')
    .select('edition')
    .distinct()
    .where('revision', '>', 0)
    .orderBy('edition', 'desc')
    .limit(max)
    .execute()
  return rows.map((row) => row.edition)
}

/** Every publication of a week, including corrections, newest first. */
export function loadPublications(state: State, max: number): Promise<StoredEdition[]> {
  return state.db
    .selectFrom('report_editions')
    .selectAll()
    .where('revision', '>', 0)
    .orderBy('published_at', 'desc')
    .orderBy('edition', 'desc')
    .orderBy('revision', 'desc')
    .limit(max)
    .execute()
}

/** The inputs of an edition by their digest; undefined for those published before inputs were stored. */
export async function loadBasis(state: State, digest: string | null): Promise<string | undefined> {
  if (digest === null) return undefined
  const row = await state.db
    .selectFrom('report_bases')
    .select('body')
    .where('digest', '=', digest)
    .executeTakeFirst()
  return row?.body
}

function newestRevision(db: Kysely<Tables>, edition: string) {
  return db
    .selectFrom('report_editions')
    .select(sql<number>`max(revision)`.as('revision'))
    .where('edition', '=', edition)
}

/** Names of the evidence files that an edition still refers to. */
export async function keptEvidenceFiles({ db }: State): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('report_editions')
    .select('evidence_file')
    .where('evidence_file', 'is not', null)
    .execute()
  return new Set(rows.flatMap(({ evidence_file }) => evidence_file ?? []))
}
