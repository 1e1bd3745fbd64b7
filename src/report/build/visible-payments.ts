import type { Address } from '../chain/payment.ts'
import { SUFFICIENT_EVIDENCE } from '../chain/payment-rule.ts'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { Coverage } from '../ledger/coverage.ts'
import type { Screen, ScreenInputs } from '../screen/screen.ts'

/** What decides which payments a report counts, and how. */
export type Method = {
  /** By priority. */
  readonly screens: readonly Screen[]
  readonly inputs: ScreenInputs
  /** Payees of known listings. */
  readonly listedPayees: ReadonlySet<Address>
}

export type Selection = {
  readonly table: string
  readonly coverage: Coverage
  /** Epoch seconds; start <= time < end. */
  readonly window: { readonly start: number; readonly end: number }
  readonly method: Method
}

/**
 * A condition that holds for the payments of a window: rows that the coverage names, and that the payment rule
 * counts (the SQL of `isPayment`). No alias of our queries equals a column, so ClickHouse cannot confuse them.
 */
export function whereVisible({ coverage, window, method }: Selection): string {
  const listed = [...method.listedPayees].map(toAddressLiteral)
  const isSufficient = `bitAnd(evidence, ${SUFFICIENT_EVIDENCE}) != 0`
  return [
    `ts >= ${window.start} AND ts < ${window.end}`,
    coverage.attempts.length === 0 ? '0' : `attempt IN (${coverage.attempts.join(', ')})`,
    listed.length === 0 ? isSufficient : `(${isSufficient} OR merchant IN (${listed.join(', ')}))`,
  ].join(' AND ')
}

/** What screens ask of a pair, over single payments. */
export const PAYMENT_COLUMNS = Object.freeze({
  buyer: 'buyer',
  merchant: 'merchant',
  isOneWallet: 'buyer_key = merchant_key',
  candidates: 'count()',
})

/** A condition that holds for payments that pass every screen, over columns of the payment table. */
export function wherePassing(selection: Selection): string {
  const { table, method } = selection
  const flagged = method.screens.map(({ sql }) => {
    const pair = sql.pair(PAYMENT_COLUMNS, method.inputs)
    if (sql.isByWallets) return `(${sql.candidate} AND ${pair})`
    const pairs =
      `SELECT merchant_key, buyer_key FROM ${table} WHERE ${whereVisible(selection)} ` +
      `AND ${sql.candidate} GROUP BY merchant_key, buyer_key HAVING ${pair}`
    return `(${sql.candidate} AND (merchant_key, buyer_key) IN (${pairs}))`
  })
  return flagged.length === 0 ? '1' : `NOT (${flagged.join(' OR ')})`
}
