import type { Address } from '@tollbook/chain/hex'
import { toScreened } from '@tollbook/verify/build/window'
import type { Screen, ScreenInputs } from '@tollbook/verify/screen/screen'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { Dialect } from '../ledger/engine/dialect.ts'
import { SCREEN_SQL, type ScreenSql, type WalletsOf } from '../screen/screen-sql.ts'
import { type Selection, whereRead, whereVisible } from './visible-payments.ts'

/** The columns that screens use for a pair, over single payments and groups of them. */
const COLUMNS = Object.freeze({
  isOneWallet: 'buyer_key = merchant_key',
  isPairOf: toPairCondition,
  candidates: 'count()',
  paid: 'sum(paid_part)',
  sentBack: 'sum(returned_part)',
})

/** Whether every payment is a candidate of a screen. */
export function isWhole({ kind }: Screen): boolean {
  return SCREEN_SQL[kind].candidate === undefined
}

/** The condition that a payment is a candidate, over columns of the payment table. */
export function isCandidate(
  { method, dialect }: Pick<Selection, 'method' | 'dialect'>,
  { kind }: Pick<Screen, 'kind'>,
  isPairOf = toPairCondition,
): string {
  return SCREEN_SQL[kind].candidate?.(method.inputs, { ...dialect, isPairOf }) ?? '1'
}

/** The condition that a screen flags a pair, over its keys and, where needed, the number of candidates. */
export function isPairFlagged(of: Selection, screen: Screen, candidates = 'count()'): string {
  const sql = SCREEN_SQL[screen.kind]
  const { inputs } = of.method
  const selection = { ...of, window: toScreened(of.window) }
  if (sql.basis === 'sums') return isKeyIn(selection, selectBySums(selection, sql))
  // The pair's candidates in a shorter window are not all that the screen counts.
  if (sql.basis === 'candidates' && !isFlaggingAll(sql, inputs) && selection.window.start < of.window.start)
    return isKeyIn(selection, selectByCount(selection, screen))
  return sql.pair(
    { ...COLUMNS, candidates, isPairOf: (wallets) => isOneOf(selection, toPairCondition(wallets)) },
    inputs,
  )
}

/** A condition that is true for payments that pass every screen, over columns of the payment table. */
export function wherePassing(selection: Selection): string {
  const { screens, inputs } = selection.method
  const flagged = screens.map((screen) => {
    if (isWhole(screen)) return isPairFlagged(selection, screen)
    const candidate = isCandidate(selection, screen)
    // Where every candidate is flagged, pairs need not be counted.
    if (isFlaggingAll(SCREEN_SQL[screen.kind], inputs)) return candidate
    const pairs = selectByCount({ ...selection, window: toScreened(selection.window) }, screen)
    // These pairs are all of those to which the screen is limited.
    return `(${isCandidate(selection, screen, () => '1')} AND ${isKeyIn(selection, pairs)})`
  })
  const isFlagged = flagged.filter((condition) => condition !== '0')
  return isFlagged.length === 0 ? '1' : `NOT (${isFlagged.join(' OR ')})`
}

/** By keys of eight bytes, found once: carrying addresses through a million pairs takes three times as long. */
function isOneOf(selection: Selection, condition: string): string {
  if (condition === '0') return condition
  return isKeyIn(
    selection,
    `SELECT merchant_key, buyer_key FROM ${selection.table} WHERE ${whereVisible(selection)} AND ${condition}`,
  )
}

function isKeyIn({ dialect }: { readonly dialect: Dialect }, pairs: string): string {
  return `(merchant_key, buyer_key) ${dialect.isIn} (${pairs})`
}

/** A query for the pairs that a screen flags, as hex of merchant and buyer without `0x`. */
export function selectFlaggedWallets(
  of: Selection & { readonly merchant?: Address },
  screen: Screen,
): string {
  const sql = SCREEN_SQL[screen.kind]
  const selection = { ...of, window: toScreened(of.window) }
  const { table, transferTable, window, outflowAttempts, method } = selection
  const ofMerchant = (column: string) =>
    selection.merchant === undefined ? '' : ` AND ${column} = ${toAddressLiteral(selection.merchant)}`
  const own = `FROM ${table} WHERE ${whereVisible(selection)}${ofMerchant('merchant')}`
  const condition = sql.pair({ ...COLUMNS, isOneWallet: 'buyer = merchant' }, method.inputs)
  if (sql.basis !== 'sums') {
    return `SELECT lower(hex(merchant)), lower(hex(buyer)) ${own} AND ${isCandidate(selection, screen)}
      GROUP BY merchant, buyer HAVING ${condition}`
  }
  const outflows = `FROM ${transferTable} WHERE ${whereRead(window, outflowAttempts)}${ofMerchant('sender')}`
  return `
    SELECT lower(hex(seller)), lower(hex(payer)) FROM (
      SELECT merchant AS seller, buyer AS payer, sum(amount) AS paid_part, toUInt64(0) AS returned_part
      ${own} AND (merchant_key, buyer_key) ${selection.dialect.isIn} (SELECT sender_key, recipient_key ${outflows})
      GROUP BY merchant, buyer
      UNION ALL
      SELECT sender AS seller, recipient AS payer, toUInt64(0) AS paid_part, sum(amount) AS returned_part
      ${outflows} GROUP BY sender, recipient
    ) GROUP BY seller, payer HAVING sum(paid_part) > 0 AND ${condition}`
}

function isFlaggingAll(sql: ScreenSql, inputs: ScreenInputs): boolean {
  return sql.pair(COLUMNS, inputs) === '1'
}

function selectByCount(selection: Selection, screen: Screen): string {
  const sql = SCREEN_SQL[screen.kind]
  const { inputs } = selection.method
  return `SELECT merchant_key, buyer_key FROM ${selection.table} WHERE ${whereVisible(selection)}
    AND ${isCandidate(selection, screen)} GROUP BY merchant_key, buyer_key HAVING ${sql.pair(COLUMNS, inputs)}`
}

/** Sums only the few pairs between which money went both ways. */
function selectBySums(selection: Selection, sql: ScreenSql): string {
  const { table, transferTable, window, outflowAttempts, method } = selection
  const outflows = `FROM ${transferTable} WHERE ${whereRead(window, outflowAttempts)}`
  return `
    SELECT merchant_key, buyer_key FROM (
      SELECT merchant_key, buyer_key, sum(amount) AS paid_part, toUInt64(0) AS returned_part
      FROM ${table} WHERE ${whereVisible(selection)}
      AND (merchant_key, buyer_key) ${selection.dialect.isIn} (SELECT sender_key, recipient_key ${outflows})
      GROUP BY merchant_key, buyer_key
      UNION ALL
      SELECT sender_key AS merchant_key, recipient_key AS buyer_key, toUInt64(0) AS paid_part,
        sum(amount) AS returned_part
      ${outflows} GROUP BY sender_key, recipient_key
    ) GROUP BY merchant_key, buyer_key HAVING sum(paid_part) > 0 AND ${sql.pair(COLUMNS, method.inputs)}`
}

/** SQL: the buyer is a wallet of its merchant. Each address alone is compared first, which is fast. */
function toPairCondition(walletsOf: WalletsOf): string {
  const listed = [...walletsOf].filter(([, wallets]) => wallets.size > 0)
  if (listed.length === 0) return '0'
  const pairs = listed.flatMap(([owner, wallets]) =>
    [...wallets].map((wallet) => `(${toAddressLiteral(owner)}, ${toAddressLiteral(wallet)})`),
  )
  const merchants = toList(listed.map(([owner]) => owner))
  const buyers = toList(listed.flatMap(([, wallets]) => [...wallets]))
  return `(merchant IN (${merchants}) AND buyer IN (${buyers}) AND (merchant, buyer) IN (${pairs.join(', ')}))`
}

function toList(wallets: readonly Address[]): string {
  return [...new Set(wallets)].map(toAddressLiteral).join(', ')
}
