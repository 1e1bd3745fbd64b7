import { PermanentError } from '../../fetching/failure.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { readDailyTotals } from './daily-totals.ts'
import type { FigureWindow, MerchantFigures } from './figures.ts'
import { type MerchantTotals, readMerchantTotals } from './merchant-totals.ts'
import { readPaidAmounts } from './paid-amounts.ts'
import type { Selection } from './visible-payments.ts'

/** The figures of every merchant of a window, most real revenue first. Three statements, whatever their number. */
export async function buildFigures(
  ledger: Ledger,
  selection: Omit<Selection, 'table' | 'window'> & { readonly window: FigureWindow },
  signal: AbortSignal,
): Promise<readonly MerchantFigures[]> {
  const visible = { ...selection, table: ledger.table }
  const totals = await readMerchantTotals(ledger, visible, signal)
  const paid = await readPaidAmounts(ledger, visible, signal)
  const daily = await readDailyTotals(ledger, visible, signal)
  return [...totals].sort(compareRevenue).map((merchant, at) => {
    const ownPaid = paid.get(merchant.address)
    const ownDaily = daily.get(merchant.address)
    if (!ownPaid || !ownDaily || paid.size !== totals.length)
      throw new PermanentError(`the ledger gave unequal answers about ${merchant.address}`)
    const isRanked = selection.window.isComplete && merchant.realAmount > 0n
    return { ...merchant, rank: isRanked ? at + 1 : null, paid: ownPaid, daily: ownDaily }
  })
}

/** Most real revenue first, then more passing payments, then the address. */
function compareRevenue(a: MerchantTotals, b: MerchantTotals): number {
  if (a.realAmount !== b.realAmount) return a.realAmount > b.realAmount ? -1 : 1
  if (a.realTx !== b.realTx) return b.realTx - a.realTx
  return a.address < b.address ? -1 : 1
}
