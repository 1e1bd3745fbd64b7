import { toUsdNumber } from '../../../money/usdc.ts'
import type { MerchantReport } from '../../build/merchant-report.ts'
import type { StoredReport } from './stored-reports.ts'

/** What a line of a ranking or of a merchant's weeks says of a report; dollars are JSON numbers with two decimals. */
export type MerchantLine = Pick<
  MerchantReport,
  'name' | 'tx' | 'usd' | 'real_tx' | 'real_usd' | 'buyers' | 'real_buyers' | 'flags'
> & {
  /** False for a name that only one catalogue gives, and for an address. */
  readonly name_confirmed: boolean
}

type LineColumn =
  | 'name'
  | 'is_name_confirmed'
  | 'tx'
  | 'amount'
  | 'real_tx'
  | 'real_amount'
  | 'buyers'
  | 'real_buyers'
  | 'flags'

export function toMerchantLine(row: Pick<StoredReport, LineColumn>): MerchantLine {
  return {
    name: row.name,
    name_confirmed: row.is_name_confirmed === 1,
    tx: row.tx,
    usd: toUsdNumber(BigInt(row.amount)),
    real_tx: row.real_tx,
    real_usd: toUsdNumber(BigInt(row.real_amount)),
    buyers: row.buyers,
    real_buyers: row.real_buyers,
    // Written by us from the report's own flags.
    flags: JSON.parse(row.flags) as MerchantLine['flags'],
  }
}
