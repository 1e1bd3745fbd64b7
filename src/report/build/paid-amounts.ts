import type { Address } from '../chain/payment.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { MerchantFigures } from './figures.ts'
import { type Selection, wherePassing, whereVisible } from './visible-payments.ts'

/**
 * Quartiles of what each merchant was paid per payment: the smallest amount at or below which the share lies,
 * as `percentile_disc` in the SQL standard, so always an amount that was paid.
 */
export async function readPaidAmounts(
  ledger: Ledger,
  selection: Selection,
  signal: AbortSignal,
): Promise<ReadonlyMap<Address, MerchantFigures['paid']>> {
  const amounts = `
    SELECT merchant_key, any(merchant) AS payee, amount AS paid, count() AS tx_all,
      countIf(${wherePassing(selection)}) AS tx_real
    FROM ${selection.table} WHERE ${whereVisible(selection)}
    GROUP BY merchant_key, amount`
  // quantileExactWeighted takes the counts as weights; quantileExact would interpolate the rank otherwise.
  const query = `
    SELECT lower(hex(any(payee))), quantileExactWeighted(0.25)(paid, tx_all),
      quantileExactWeighted(0.5)(paid, tx_all), quantileExactWeighted(0.75)(paid, tx_all),
      if(sum(tx_real) = 0, 0, quantileExactWeighted(0.5)(paid, tx_real))
    FROM (${amounts}) GROUP BY merchant_key`
  const rows = await ledger.rows(query, signal)
  return new Map(
    rows.map(([address = '', p25 = '0', median = '0', p75 = '0', medianPassing = '0']) => [
      `0x${address}` as const,
      { p25: BigInt(p25), median: BigInt(median), p75: BigInt(p75), medianPassing: BigInt(medianPassing) },
    ]),
  )
}
