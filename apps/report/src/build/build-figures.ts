import { PermanentError } from '@tollbook/flow/failure'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import type { Window } from '@tollbook/verify/build/window'
import { floorOf } from '@tollbook/verify/screen/counting-floor'
import type { Ledger } from '../ledger/ledger.ts'
import { readMerchantAmounts } from './merchant-amounts.ts'
import { readMerchantTotals } from './merchant-totals.ts'
import { type Criteria, selectFrom } from './visible-payments.ts'

/** The figures of every merchant of a window, highest real revenue first; always two statements. */
export async function buildFigures(
  ledger: Ledger,
  selection: Omit<Criteria, 'window'> & { readonly window: Window },
  signal: AbortSignal,
): Promise<readonly MerchantFigures[]> {
  const visible = selectFrom(ledger, selection)
  const totals = await readMerchantTotals(ledger, visible, signal)
  const amounts = await readMerchantAmounts(ledger, visible, signal)
  if (totals.size !== amounts.size)
    throw new PermanentError('the ledger returned inconsistent results for a window')
  const unranked = [...amounts].map(([key, { address, ...ofPayments }]) => {
    const own = totals.get(key)
    if (!own) throw new PermanentError(`the ledger returned inconsistent results for ${address}`)
    return { address, ...own, floor: floorOf(address, selection.method.inputs), ...ofPayments }
  })
  return rankByRevenue(unranked, selection.window)
}

type Unranked = Omit<MerchantFigures, 'rank'>

/** Orders merchants by real revenue and ranks those with a counted payment that passes; none in an incomplete window. */
export function rankByRevenue(
  unranked: readonly Unranked[],
  { isComplete }: Pick<Window, 'isComplete'>,
): readonly MerchantFigures[] {
  let ranked = 0
  return unranked.toSorted(compareRevenue).map((merchant) => {
    const isRanked = isComplete && merchant.realTx > 0
    if (isRanked) ranked += 1
    return { ...merchant, rank: isRanked ? ranked : null }
  })
}

/** Highest real revenue first, then number of passing payments, then address. */
function compareRevenue(a: Unranked, b: Unranked): number {
  if (a.realAmount !== b.realAmount) return a.realAmount > b.realAmount ? -1 : 1
  if (a.realTx !== b.realTx) return b.realTx - a.realTx
  return a.address < b.address ? -1 : 1
}
