import { toUsdNumber } from '../../../money/usdc.ts'
import type { FlagRecord } from '../../build/merchant-report.ts'
import type { StoredReport } from './stored-reports.ts'

/** What a line of a ranking or of a merchant's weeks says of a report; dollars are JSON numbers with two decimals. */
export type MerchantLine = {
  readonly name: string
  readonly tx: number
  readonly usd: number
  readonly real_tx: number
  readonly real_usd: number
  readonly buyers: number
  readonly real_buyers: number
  readonly flags: Readonly<Record<string, FlagRecord>>
}

type LineColumn = 'name' | 'tx' | 'amount' | 'real_tx' | 'real_amount' | 'buyers' | 'real_buyers' | 'flags'

export function toMerchantLine(row: Pick<StoredReport, LineColumn>): MerchantLine {
  return {
    name: row.name,
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
