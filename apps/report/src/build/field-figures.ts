import { toUtcDate } from '@tollbook/verify/build/compose-report'
import type { FieldFigures } from '@tollbook/verify/build/figures'
import type { Ledger } from '../ledger/ledger.ts'
import { toCountedCondition } from '../screen/counted-condition.ts'
import { wherePassing } from './flagged-pairs.ts'
import { type Criteria, selectFrom, whereVisible } from './visible-payments.ts'

const DAY_SECONDS = 86_400

/** Adds up the payments of a window by day and facilitator, without GROUPING SETS (ClickHouse 22.5). */
export async function readFieldFigures(
  ledger: Ledger,
  criteria: Criteria,
  signal: AbortSignal,
): Promise<FieldFigures> {
  const selection = selectFrom(ledger, criteria)
  const rows = await ledger.rows(
    `SELECT kind, if(kind = 'day', day_number, 0) AS day, if(kind = 'facilitator', lower(hex(settler)), '') AS address,
      countIf(is_counted), sum(amount), countIf(is_counted AND is_real), sumIf(amount, is_real),
      uniqExactIf(buyer_key, is_counted), uniqExactIf(buyer_key, is_counted AND is_real)
    FROM (
      SELECT buyer_key, amount, facilitator AS settler, intDiv(ts, ${DAY_SECONDS}) AS day_number,
        ${wherePassing(selection)} AS is_real, ${toCountedCondition(selection.method.inputs, ledger.dialect)} AS is_counted,
        arrayJoin(['all', 'day', 'facilitator']) AS kind
      FROM ${ledger.table} WHERE ${whereVisible(selection)}
    ) GROUP BY kind, day, address`,
    signal,
  )
  const groups = rows.map(([kind, day, settler = '', ...sums]) => {
    const [tx = 0, amount = 0, real_tx = 0, real_amount = 0, buyers = 0, real_buyers = 0] = sums.map(Number)
    return {
      kind,
      day: Number(day),
      settler,
      buyers,
      real_buyers,
      sums: { tx, amount, real_tx, real_amount },
    }
  })
  const all = groups.find(({ kind }) => kind === 'all')
  return {
    buyers: all?.buyers ?? 0,
    real_buyers: all?.real_buyers ?? 0,
    facilitators: groups
      .filter(({ kind }) => kind === 'facilitator')
      .map(({ settler, sums }) => ({ address: `0x${settler}`, ...sums }))
      .sort((a, b) => b.tx - a.tx || (a.address < b.address ? -1 : 1)),
    daily: groups
      .filter(({ kind }) => kind === 'day')
      .sort((a, b) => a.day - b.day)
      .map(({ day, sums }) => ({ date: toUtcDate(day * DAY_SECONDS), ...sums })),
  }
}
