import type { Address } from '../../chain/hex.ts'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import {
  EVIDENCE_COLUMNS,
  readFlaggedPairs,
  type ScreenedPayment,
  toScreenedPayment,
} from './read-evidence.ts'
import { type Criteria, selectFrom, whereVisible } from './visible-payments.ts'

export type RunPayment = ScreenedPayment & { readonly merchant: Address }

/** About 10 MB of text per page. */
const ROWS_PER_PAGE = 50_000

/** Reads every payment of a window by merchant, then in chain order; holds one page and the flagged pairs. */
export async function* readRunEvidence(
  ledger: Ledger,
  criteria: Criteria,
  signal: AbortSignal,
): AsyncGenerator<RunPayment> {
  const selection = selectFrom(ledger, criteria)
  const flagged = await readFlaggedPairs(ledger, selection, signal)
  let after = ''
  for (;;) {
    // The order of the table's key, so a page needs no sorting.
    const rows = await ledger.rows(
      `SELECT ${EVIDENCE_COLUMNS} FROM ${ledger.table}
      WHERE ${whereVisible(selection)}${after} ORDER BY merchant, block, log_index LIMIT ${ROWS_PER_PAGE}`,
      signal,
    )
    for (const row of rows)
      yield { merchant: `0x${row[0]}`, ...toScreenedPayment(row, selection.method, flagged) }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return
    const [merchant, block, logIndex] = last
    const own = toAddressLiteral(`0x${merchant}`)
    after =
      ` AND merchant >= ${own} AND (merchant > ${own} OR block > ${block} ` +
      `OR (block = ${block} AND log_index > ${logIndex}))`
  }
}
