import { toUsdNumber } from '../../../money/usdc.ts'
import type { State } from '../../../state/state.ts'
import type { FlagRecord } from '../../build/merchant-report.ts'

/** What a published week says of a merchant; dollars have two decimals. */
export type MerchantWeek = {
  readonly week: string
  readonly revision: number
  readonly name: string
  readonly tx: number
  readonly usd: number
  readonly real_tx: number
  readonly real_usd: number
  readonly buyers: number
  readonly real_buyers: number
  readonly flags: Readonly<Record<string, FlagRecord>>
  readonly rank: number | null
  readonly etag: string
  readonly changedAt: Date
}

/** The published weeks in which a merchant was paid, newest first, each in its newest revision. */
export async function loadMerchantWeeks(state: State, address: string): Promise<readonly MerchantWeek[]> {
  const rows = await state.db
    .selectFrom('reports')
    .select(['edition', 'revision', 'name', 'tx', 'amount', 'real_tx', 'real_amount', 'rank', 'etag'])
    .select(['buyers', 'real_buyers', 'flags', 'changed_at'])
    .where('address', '=', address)
    .where('revision', '>', 0)
    // A merchant that a correction took out of a week has a row in an earlier revision only.
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
    name: row.name,
    tx: row.tx,
    usd: toUsdNumber(BigInt(row.amount)),
    real_tx: row.real_tx,
    real_usd: toUsdNumber(BigInt(row.real_amount)),
    buyers: row.buyers,
    real_buyers: row.real_buyers,
    // Written by us from the report's own flags.
    flags: JSON.parse(row.flags) as MerchantWeek['flags'],
    rank: row.rank,
    etag: row.etag,
    changedAt: new Date(row.changed_at),
  }))
}
