import type { Address } from '@tollbook/chain/hex'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import {
  EVIDENCE_COLUMNS,
  type Page,
  readFlaggedPairs,
  readPages,
  type ScreenedPayment,
  toScreenedPayment,
} from './read-evidence.ts'
import { type Criteria, type Selection, selectFrom, whereVisible } from './visible-payments.ts'

export type WindowPayment = ScreenedPayment & { readonly merchant: Address }

/** About 10 MB of text. */
const ROWS_PER_RANGE = 50_000

/** Reads every payment of a window by merchant, then in chain order; holds one range and the flagged pairs. */
export async function* readWindowEvidence(
  ledger: Ledger,
  criteria: Criteria,
  signal: AbortSignal,
): AsyncGenerator<WindowPayment> {
  const selection = selectFrom(ledger, criteria)
  const flagged = await readFlaggedPairs(ledger, selection, signal)
  const counts = await ledger.rows(
    `SELECT lower(hex(merchant)), count() FROM ${ledger.table}
    WHERE ${whereVisible(selection)} GROUP BY merchant ORDER BY merchant`,
    signal,
  )
  for (const range of toRanges(counts))
    for await (const rows of readRange(ledger, { ...selection, range }, signal))
      for (const row of rows)
        yield { merchant: `0x${row[0]}`, ...toScreenedPayment(row, selection.method, flagged) }
}

type Range = { readonly first: Address; readonly last: Address; readonly rows: number }

/** Joins neighbours, until a range would have too many rows. A merchant that has more is alone. */
function toRanges(counts: readonly (readonly string[])[]): readonly Range[] {
  const ranges: Range[] = []
  for (const [digits, count] of counts) {
    const merchant: Address = `0x${digits}`
    const before = ranges.at(-1)
    const rows = (before?.rows ?? 0) + Number(count)
    if (before && rows <= ROWS_PER_RANGE) ranges[ranges.length - 1] = { ...before, last: merchant, rows }
    else ranges.push({ first: merchant, last: merchant, rows: Number(count) })
  }
  return ranges
}

async function* readRange(
  ledger: Ledger,
  selection: Selection & { readonly range: Range },
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const { first, last, rows } = selection.range
  if (rows > ROWS_PER_RANGE) return yield* readPages(ledger, { ...selection, merchant: first }, signal)
  // An engine that stores rows in another order sorts those of the range alone.
  yield await ledger.rows(
    `SELECT ${EVIDENCE_COLUMNS} FROM ${ledger.table}
    WHERE ${whereVisible(selection)} AND merchant >= ${toAddressLiteral(first)}
      AND merchant <= ${toAddressLiteral(last)} ORDER BY merchant, block, log_index`,
    signal,
  )
}
