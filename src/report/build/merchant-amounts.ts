import type { Address } from '../../chain/hex.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { toCountedCondition } from '../screen/counting-floor.ts'
import { toUtcDate } from './compose-report.ts'
import type { DayFigures, MerchantFigures } from './figures.ts'
import { wherePassing } from './flagged-pairs.ts'
import { type Selection, whereVisible } from './visible-payments.ts'

const DAY_SECONDS = 86_400

export type MerchantAmounts = {
  readonly address: Address
  readonly paid: MerchantFigures['paid']
  readonly daily: readonly DayFigures[]
}

/**
 * What each merchant was paid per payment and per date, keyed by the ledger's key of its wallet. One pass
 * computes both, because separating passing payments from others is most of the work.
 *
 * Quartiles are the smallest amount at or below which the share lies, as `percentile_disc` in the SQL
 * standard, so they are always amounts that were paid: use quantileExactWeighted, never quantileExact, which
 * ranks differently.
 */
export async function readMerchantAmounts(
  ledger: Ledger,
  selection: Selection,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, MerchantAmounts>> {
  const days = daysOf(selection.window)
  const rows = await ledger.rows(amountsQuery(selection, days), signal)
  return new Map(
    rows.map(([key = '', address, quartiles = '', medianPassing = '0', ...ofDays]) => {
      const [p25 = '0', median = '0', p75 = '0'] = quartiles.slice(1, -1).split(',')
      return [
        key,
        {
          address: `0x${address}`,
          paid: {
            p25: BigInt(p25),
            median: BigInt(median),
            p75: BigInt(p75),
            medianPassing: BigInt(medianPassing),
          },
          daily: toDaily(days, ofDays),
        },
      ]
    }),
  )
}

function amountsQuery(selection: Selection, days: readonly number[]): string {
  const ofDays = days.flatMap((day) => [
    `countIf(day = ${day} AND is_counted)`,
    `sumIf(amount, day = ${day})`,
    `sumIf(amount, day = ${day} AND is_real)`,
  ])
  return `
    SELECT toString(merchant_key), lower(hex(any(merchant))),
      if(sum(is_counted) = 0, [0, 0, 0], quantilesExactWeighted(0.25, 0.5, 0.75)(amount, is_counted)),
      if(sum(is_counted AND is_real) = 0, 0, quantileExactWeighted(0.5)(amount, is_counted AND is_real)),
      ${ofDays.join(', ')}
    FROM (
      SELECT merchant_key, merchant, amount, intDiv(ts, ${DAY_SECONDS}) AS day, ${wherePassing(selection)} AS is_real,
        ${toCountedCondition(selection.method.inputs)} AS is_counted
      FROM ${selection.table} WHERE ${whereVisible(selection)}
    ) GROUP BY merchant_key`
}

/** Days since 1970 that the window touches: eight, or seven when it begins at midnight. */
function daysOf({ start, end }: Selection['window']): readonly number[] {
  const first = Math.floor(start / DAY_SECONDS)
  return Array.from({ length: Math.ceil(end / DAY_SECONDS) - first }, (_, at) => first + at)
}

/** Ascending; dates without payments are absent. */
function toDaily(days: readonly number[], ofDays: readonly string[]): readonly DayFigures[] {
  return days.flatMap((day, at) => {
    const [tx, amount = '0', realAmount = '0'] = ofDays.slice(3 * at, 3 * at + 3)
    if (amount === '0') return []
    const date = toUtcDate(day * DAY_SECONDS)
    return [{ date, tx: Number(tx), amount: BigInt(amount), realAmount: BigInt(realAmount) }]
  })
}
