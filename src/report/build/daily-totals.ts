import type { Address } from '../chain/payment.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { toUtcDate } from './compose-report.ts'
import type { DayFigures } from './figures.ts'
import { type Selection, wherePassing, whereVisible } from './visible-payments.ts'

const DAY_SECONDS = 86_400

/** What each merchant was paid on each UTC date of the window; dates ascend, dates without payments are absent. */
export async function readDailyTotals(
  ledger: Ledger,
  selection: Selection,
  signal: AbortSignal,
): Promise<ReadonlyMap<Address, readonly DayFigures[]>> {
  const day = `intDiv(ts, ${DAY_SECONDS})`
  const rows = await ledger.rows(
    `SELECT lower(hex(any(merchant))), ${day}, count(), sum(amount), sumIf(amount, ${wherePassing(selection)})
    FROM ${selection.table} WHERE ${whereVisible(selection)}
    GROUP BY merchant_key, ${day} ORDER BY ${day}`,
    signal,
  )
  const days = new Map<Address, DayFigures[]>()
  for (const [address = '', number, tx, amount = '0', realAmount = '0'] of rows) {
    const key: Address = `0x${address}`
    const figures = {
      date: toUtcDate(Number(number) * DAY_SECONDS),
      tx: Number(tx),
      amount: BigInt(amount),
      realAmount: BigInt(realAmount),
    }
    const own = days.get(key)
    if (own) own.push(figures)
    else days.set(key, [figures])
  }
  return days
}
