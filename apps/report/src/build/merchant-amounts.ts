import { toUtcDate } from '@tollbook/verify/build/compose-report'
import type { DayFigures, MerchantFigures, PriceFigures } from '@tollbook/verify/build/figures'
import type { Ledger } from '../ledger/ledger.ts'
import { toCountedCondition } from '../screen/counted-condition.ts'
import { wherePassing } from './flagged-pairs.ts'
import { type Selection, whereVisible } from './visible-payments.ts'

const DAY_SECONDS = 86_400

type MerchantAmounts = Pick<MerchantFigures, 'address' | 'paid' | 'byPrice' | 'daily'>

/**
 * What each merchant was paid per payment, per price and per date, keyed by the ledger's key of its wallet. One pass
 * computes all, because separating passing payments from others is most of the work.
 *
 * Quartiles are the smallest amount at or below which the share lies, as `percentile_disc` in the SQL
 * standard, so they are always amounts that were paid: see `Dialect.atShares`.
 */
export async function readMerchantAmounts(
  ledger: Ledger,
  selection: Selection,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, MerchantAmounts>> {
  const days = daysOf(selection.window)
  const rows = await ledger.rows(amountsQuery(selection, days), signal)
  return new Map(
    rows.map(
      ([
        key = '',
        address,
        quartiles = '',
        medianPassing = '0',
        prices = '',
        tx = '',
        realTx = '',
        ...ofDays
      ]) => {
        const [p25 = '0', median = '0', p75 = '0'] = toList(quartiles)
        const byPrice = toPriceFigures(toList(prices), { tx: toList(tx), realTx: toList(realTx) })
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
            ...(byPrice.length > 0 && { byPrice }),
            daily: toDaily(days, ofDays),
          },
        ]
      },
    ),
  )
}

function amountsQuery(selection: Selection, days: readonly number[]): string {
  const ofDays = days.flatMap((day) => [
    `countIf(day = ${day} AND is_counted)`,
    `sumIf(amount, day = ${day})`,
    `sumIf(amount, day = ${day} AND is_real)`,
  ])
  const isUnique = toUniqueCondition(selection)
  const { dialect } = selection
  return `
    SELECT toString(merchant_key), lower(hex(${dialect.anyOf('merchant')})),
      ${dialect.atShares([0.25, 0.5, 0.75], 'amount', 'is_counted')},
      ${dialect.atShares([0.5], 'amount', 'is_counted AND is_real')},
      ${dialect.countsByAmount('amount', 'is_counted AND is_unique', 'is_real')},
      ${ofDays.join(', ')}
    FROM (
      SELECT merchant_key, merchant, amount, intDiv(ts, ${DAY_SECONDS}) AS day, ${wherePassing(selection)} AS is_real,
        ${toCountedCondition(selection.method.inputs, dialect)} AS is_counted, ${isUnique} AS is_unique
      FROM ${selection.table} WHERE ${whereVisible(selection)}
    ) GROUP BY merchant_key`
}

/** The condition that a payment is of a price that only one endpoint of its merchant has. */
function toUniqueCondition({ method }: Selection): string {
  const prices = [...method.inputs.listedPrices].flatMap(([merchant, { unique }]) =>
    unique.map((price) => `${merchant.slice(2)}${price}`),
  )
  return prices.length === 0
    ? '0'
    : `(merchant, amount) IN (SELECT toFixedString(unhex(substring(price, 1, 40)), 20), toUInt64(substring(price, 41))
        FROM (SELECT arrayJoin(splitByChar(',', materialize('${prices.join()}'))) AS price))`
}

function toPriceFigures(
  prices: readonly string[],
  { tx, realTx }: { readonly tx: readonly string[]; readonly realTx: readonly string[] },
): readonly PriceFigures[] {
  return prices.map((price, at) => ({ price: BigInt(price), tx: Number(tx[at]), realTx: Number(realTx[at]) }))
}

/** The numbers of an array as engines write it, such as `[1,2]` or `[1, 2]`. */
function toList(array: string): readonly string[] {
  return array.length <= 2 ? [] : array.slice(1, -1).split(/, ?/)
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
