import { WINDOW_DAYS } from '@tollbook/verify/build/window'
import { daysOfEdition, rollingEdition } from '@tollbook/verify/published/edition-name'
import type { State } from '../state/state.ts'
import { LINE_COLUMNS, type MerchantLine, toMerchantLine } from './merchant-line.ts'

export type MerchantWeek = MerchantLine & {
  readonly week: string
  readonly revision: number
  readonly rank: number | null
  readonly etag: string
  readonly changedAt: Date
}

/** The published weeks in which a merchant received payments, newest first, each in its newest revision. */
export async function loadMerchantWeeks(state: State, address: string): Promise<readonly MerchantWeek[]> {
  const rows = await state.db
    .selectFrom('reports')
    .select(LINE_COLUMNS)
    .select(['edition', 'revision', 'rank', 'etag', 'changed_at'])
    .where('address', '=', address)
    .where('revision', '>', 0)
    // A merchant that a correction removed from a week has a row in an earlier revision only.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('report_editions')
            .select('report_editions.edition')
            .whereRef('report_editions.edition', '=', 'reports.edition')
            .whereRef('report_editions.revision', '>', 'reports.revision'),
        ),
      ),
    )
    .orderBy('edition', 'desc')
    .execute()
  return rows.map((row) => ({
    week: row.edition,
    revision: row.revision,
    ...toMerchantLine(row),
    rank: row.rank,
    etag: row.etag,
    changedAt: new Date(row.changed_at),
  }))
}

/** Lengths of the newest windows that are published, or that have a report of a merchant: days, ascending. */
export async function loadWindows({ db }: State, address?: string): Promise<readonly number[]> {
  const editions = WINDOW_DAYS.map(rollingEdition)
  let select = db.selectFrom('report_editions').select('edition').where('edition', 'in', editions)
  if (address !== undefined) {
    const own = db.selectFrom('reports').select('edition').where('address', '=', address)
    select = select.where('edition', 'in', own)
  }
  const rows = await select.execute()
  return rows.map(({ edition }) => daysOfEdition(edition)).sort((a, b) => a - b)
}
