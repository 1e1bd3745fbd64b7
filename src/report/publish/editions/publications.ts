import type { State } from '../../../state/state.ts'
import type { StoredEdition } from './stored-reports.ts'

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
