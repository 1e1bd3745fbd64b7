import { toUsdNumber } from '../../../money/usdc.ts'
import type { MerchantReport } from '../../build/merchant-report.ts'
import type { StoredReport } from './stored-reports.ts'

/** A report's entry in a ranking or a list of weeks; dollars have two decimals. */
export type MerchantLine = Pick<
  MerchantReport,
  'name' | 'tx' | 'usd' | 'real_tx' | 'real_usd' | 'buyers' | 'real_buyers' | 'flags'
> & {
  /** False for an address, and for a name that only one catalogue lists. */
  readonly name_confirmed: boolean
  /** Null before version 3 of the method. */
  readonly effective_buyers: number | null
  /** Null if the seven days before were not read, and before version 3 of the method. */
  readonly returning_buyers: number | null
}

/** The columns of `reports` that a line is made of. */
export const LINE_COLUMNS = [
  'name',
  'is_name_confirmed',
  'tx',
  'amount',
  'real_tx',
  'real_amount',
  'buyers',
  'real_buyers',
  'effective_buyers_hundredths',
  'returning_buyers',
  'flags',
] as const

export function toMerchantLine(row: Pick<StoredReport, (typeof LINE_COLUMNS)[number]>): MerchantLine {
  return {
    name: row.name,
    name_confirmed: row.is_name_confirmed === 1,
    tx: row.tx,
    usd: toUsdNumber(BigInt(row.amount)),
    real_tx: row.real_tx,
    real_usd: toUsdNumber(BigInt(row.real_amount)),
    buyers: row.buyers,
    real_buyers: row.real_buyers,
    effective_buyers: row.effective_buyers_hundredths === 0 ? null : row.effective_buyers_hundredths / 100,
    returning_buyers: row.returning_buyers < 0 ? null : row.returning_buyers,
    // Derived from the report's own flags.
    flags: JSON.parse(row.flags) as MerchantLine['flags'],
  }
}
