import { isUniqueConflict } from '@tollbook/store/conflict'
import type { State } from '../state/state.ts'
import type { Edition } from './compose-edition.ts'
import { queueWeekChanges } from './queue-alerts.ts'
import { insertRows, storeBasis } from './store-edition.ts'

export const FIRST_REVISION = 1

/**
 * Stores all reports of a revision of a week. @param baseUrl public address of the report service.
 * @returns false when another publisher has stored this revision.
 */
export async function storeWeek(
  state: State,
  { row, basis, reports }: Edition,
  baseUrl: string,
): Promise<boolean> {
  const now = new Date(row.published_at)
  try {
    await state.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('report_editions').values(row).execute()
      await insertRows(transaction, reports)
      await storeBasis(transaction, basis, now)
      if (row.revision === FIRST_REVISION) {
        const windowEnd = new Date(row.window_end)
        await queueWeekChanges(transaction, { edition: row.edition, rows: reports, now, windowEnd, baseUrl })
      }
    })
    return true
  } catch (error) {
    if (isUniqueConflict(error)) return false
    throw error
  }
}
