import type { Address } from '../../chain/hex.ts'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { Screen } from '../screen/screen.ts'
import { type Selection, whereRead, whereVisible } from './visible-payments.ts'
import { toScreened } from './window.ts'

/** The columns that screens use for a pair, over single payments and groups of them. */
const COLUMNS = Object.freeze({
  buyer: 'buyer',
  merchant: 'merchant',
  isOneWallet: 'buyer_key = merchant_key',
  candidates: 'count()',
  paid: 'sum(paid_part)',
  sentBack: 'sum(returned_part)',
})

/** A query for the pairs that a screen flags by counts or sums, as (merchant_key, buyer_key). */
export function selectFlaggedPairs(of: Selection, screen: Screen): string {
  const selection = { ...of, window: toScreened(of.window) }
  return screen.sql.basis === 'sums' ? selectBySums(selection, screen) : selectByCount(selection, screen)
}

/** The condition of a screen that depends on wallets only, over columns of the payment table. */
export function isFlaggedByWallets({ method }: Selection, { sql }: Screen): string {
  return sql.pair(COLUMNS, method.inputs)
}

/** The condition of a screen that depends on the number of candidates, which is in a column. */
export function isFlaggedByCount({ method }: Selection, { sql }: Screen, candidates: string): string {
  return sql.pair({ ...COLUMNS, candidates }, method.inputs)
}

/** A condition that is true for payments that pass every screen, over columns of the payment table. */
export function wherePassing(selection: Selection): string {
  const { screens, inputs } = selection.method
  const flagged = screens.map((screen) => {
    const candidate = screen.sql.candidate(inputs)
    if (screen.sql.basis === 'wallets') return `(${candidate} AND ${isFlaggedByWallets(selection, screen)})`
    // Where every candidate is flagged, pairs need not be counted.
    if (screen.sql.pair(COLUMNS, inputs) === '1') return `(${candidate})`
    return `(${candidate} AND (merchant_key, buyer_key) GLOBAL IN (${selectFlaggedPairs(selection, screen)}))`
  })
  return flagged.length === 0 ? '1' : `NOT (${flagged.join(' OR ')})`
}

/**
 * A query for the pairs that a screen flags, of one merchant or of all, as hex of merchant and buyer without
 * `0x`.
 */
export function selectFlaggedWallets(
  of: Selection & { readonly merchant?: Address },
  { sql }: Screen,
): string {
  const selection = { ...of, window: toScreened(of.window) }
  const { table, transferTable, window, outflowAttempts, method } = selection
  const ofMerchant = (column: string) =>
    selection.merchant === undefined ? '' : ` AND ${column} = ${toAddressLiteral(selection.merchant)}`
  const own = `FROM ${table} WHERE ${whereVisible(selection)}${ofMerchant('merchant')}`
  const condition = sql.pair({ ...COLUMNS, isOneWallet: 'buyer = merchant' }, method.inputs)
  if (sql.basis !== 'sums') {
    return `SELECT lower(hex(merchant)), lower(hex(buyer)) ${own} AND ${sql.candidate(method.inputs)}
      GROUP BY merchant, buyer HAVING ${condition}`
  }
  const outflows = `FROM ${transferTable} WHERE ${whereRead(window, outflowAttempts)}${ofMerchant('sender')}`
  return `
    SELECT lower(hex(seller)), lower(hex(payer)) FROM (
      SELECT merchant AS seller, buyer AS payer, sum(amount) AS paid_part, toUInt64(0) AS returned_part
      ${own} AND (merchant_key, buyer_key) GLOBAL IN (SELECT sender_key, recipient_key ${outflows})
      GROUP BY merchant, buyer
      UNION ALL
      SELECT sender AS seller, recipient AS payer, toUInt64(0) AS paid_part, sum(amount) AS returned_part
      ${outflows} GROUP BY sender, recipient
    ) GROUP BY seller, payer HAVING sum(paid_part) > 0 AND ${condition}`
}

function selectByCount(selection: Selection, { sql }: Screen): string {
  return `SELECT merchant_key, buyer_key FROM ${selection.table} WHERE ${whereVisible(selection)}
    AND ${sql.candidate(selection.method.inputs)} GROUP BY merchant_key, buyer_key HAVING ${sql.pair(COLUMNS, selection.method.inputs)}`
}

/** Sums only the few pairs between which money went both ways. */
function selectBySums(selection: Selection, { sql }: Screen): string {
  const { table, transferTable, window, outflowAttempts, method } = selection
  const outflows = `FROM ${transferTable} WHERE ${whereRead(window, outflowAttempts)}`
  return `
    SELECT merchant_key, buyer_key FROM (
      SELECT merchant_key, buyer_key, sum(amount) AS paid_part, toUInt64(0) AS returned_part
      FROM ${table} WHERE ${whereVisible(selection)}
      AND (merchant_key, buyer_key) GLOBAL IN (SELECT sender_key, recipient_key ${outflows})
      GROUP BY merchant_key, buyer_key
      UNION ALL
      SELECT sender_key AS merchant_key, recipient_key AS buyer_key, toUInt64(0) AS paid_part,
        sum(amount) AS returned_part
      ${outflows} GROUP BY sender_key, recipient_key
    ) GROUP BY merchant_key, buyer_key HAVING sum(paid_part) > 0 AND ${sql.pair(COLUMNS, method.inputs)}`
}
