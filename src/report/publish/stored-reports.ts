import type { Selectable } from 'kysely'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'

export type StoredReport = Selectable<Tables['reports']> & Pick<Selectable<Tables['report_texts']>, 'body'>
export type StoredEdition = Selectable<Tables['report_editions']>

/** The newest revision of an edition; undefined when it was never published. */
export function loadEdition(state: State, edition: string): Promise<StoredEdition | undefined> {
  return state.db
    .selectFrom('report_editions')
    .selectAll()
    .where('edition', '=', edition)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** A merchant's report in the newest revision of an edition. */
export function loadReport(
  state: State,
  edition: string,
  address: string,
): Promise<StoredReport | undefined> {
  return state.db
    .selectFrom('reports')
    .innerJoin('report_texts', (join) =>
      join
        .onRef('report_texts.edition', '=', 'reports.edition')
        .onRef('report_texts.address', '=', 'reports.address')
        .onRef('report_texts.revision', '=', 'reports.revision'),
    )
    .selectAll('reports')
    .select('report_texts.body')
    .where('reports.edition', '=', edition)
    .where('reports.address', '=', address)
    .orderBy('reports.revision', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The weeks that are published, newest first. */
export async function loadWeeks(state: State, most: number): Promise<readonly string[]> {
  const rows = await state.db
    .selectFrom('report_editions')
    .select('edition')
    .distinct()
    .where('revision', '>', 0)
    .orderBy('edition', 'desc')
    .limit(most)
    .execute()
  return rows.map((row) => row.edition)
}
