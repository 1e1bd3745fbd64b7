import type { Block, Inline } from '../extract/document/block.ts'
import type { Row, Segment } from './order-lines.ts'
import { toInlines } from './to-inlines.ts'

type Column = { left: number; right: number }

const MIN_ROWS = 3
const MAX_COLUMNS = 40
/** Rows further apart than this, in font sizes, are not of one table. */
const MAX_PITCH = 3
/** Share of cells that must have text. */
const MIN_FILLED = 0.5

/**
 * The table that begins at a row: rows of at least two aligned segments. A row of one segment within a column
 * other than the first continues the cell above.
 * @returns null if there is none; `rows` is their number on the page
 */
export function findTable(
  rows: readonly Row[],
  from: number,
): { readonly block: Block; readonly rows: number } | null {
  if ((rows[from]?.length ?? 0) < 2) return null
  let columns: Column[] = []
  const lines: Segment[][][] = []
  let end = from
  for (; end < rows.length; end += 1) {
    const row = rows[end] ?? []
    const previous = rows[end - 1]
    if (end > from && previous && !isNear(previous, row)) break
    if (row.length < 2) {
      const [only] = row
      const column = only
        ? columns.findIndex((each) => only.left >= each.left - 2 && only.right <= each.right + 2)
        : -1
      const cell = lines.at(-1)?.[column]
      if (column < 1 || !only || !cell) break
      cell.push(only)
      continue
    }
    const wider = merge(columns, row)
    // A line that joins columns is text, or the table's end.
    if (columns.length > 0 && wider.length < Math.max(2, columns.length)) break
    if (wider.length > MAX_COLUMNS) break
    columns = wider
    lines.push(toCells(row, columns))
  }
  if (lines.length < MIN_ROWS || columns.length < 2) return null
  const cells = lines.map((line) => toCells(line.flat(), columns))
  const filled = cells.flat().filter((cell) => cell.length > 0).length
  if (filled < MIN_FILLED * columns.length * cells.length) return null
  const block: Block = {
    kind: 'table',
    alignments: columns.map(() => null),
    rows: cells.map((line) => line.map((cell): Inline[] => toInlines(cell.map((segment) => [segment])))),
  }
  return { block, rows: end - from }
}

function isNear(one: Row, other: Row): boolean {
  const [first, second] = [one[0], other[0]]
  if (!first || !second) return false
  return second.baseline - first.baseline <= MAX_PITCH * Math.max(first.size, second.size)
}

/** Columns widened by the segments of a row; overlapping ones become one. */
function merge(columns: readonly Column[], row: Row): Column[] {
  const all = [...columns, ...row]
    .map(({ left, right }) => ({ left, right }))
    .sort((one, other) => one.left - other.left)
  const merged: Column[] = []
  for (const each of all) {
    const last = merged.at(-1)
    if (last && each.left < last.right) last.right = Math.max(last.right, each.right)
    else merged.push(each)
  }
  return merged
}

function toCells(segments: readonly Segment[], columns: readonly Column[]): Segment[][] {
  const cells: Segment[][] = columns.map(() => [])
  for (const segment of segments) {
    const at = columns.findIndex(({ right }) => segment.left < right)
    cells[at]?.push(segment)
  }
  return cells
}
