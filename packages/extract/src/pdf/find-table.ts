import { groupLines } from './group-lines.ts'
import type { Row, Segment, TableBlock } from './segments.ts'
import { type Spacing, splitCells } from './split-cells.ts'
import { toCell } from './to-inlines.ts'

type Column = { left: number; right: number }

type Options = {
  readonly spacing: Spacing
  /** Whether a row is no part of a table, such as code or an item of a list. */
  readonly isText: (row: Row) => boolean
  /** Cells of rows, split for one gap, which are needed from many rows. */
  readonly cache: Map<number | undefined, Map<Row, Segment[]>>
}

type Found = { readonly block: TableBlock; readonly left: number; readonly rows: number }

const MIN_ROWS = 3
const MAX_COLUMNS = 40
/** Rows further apart than this, in font sizes, are not of one table. */
const MAX_PITCH = 3
/** Where spaces are not drawn, cells of an aligned table may be this near, in font sizes. */
const MIN_GAP = 0.2
/** Of the edges of one column, in points: ink of figures begins a little apart. */
const MAX_SPREAD = 2.5
/** Share of cells that must have text. */
const MIN_FILLED = 0.5

/**
 * The table that begins at a row: rows of at least two aligned cells. A row of one cell within a column other than
 * the first continues the cell above.
 * @returns null if there is none; `rows` is their number on the page
 */
export function findTable(rows: readonly Row[], from: number, options: Options): Found | null {
  const near = options.spacing === 'placed' ? findColumns(rows, from, { ...options, maxGap: MIN_GAP }) : null
  return near ?? findColumns(rows, from, options)
}

function findColumns(
  rows: readonly Row[],
  from: number,
  { spacing, isText, cache, maxGap }: Options & { readonly maxGap?: number },
): Found | null {
  const splits = cache.get(maxGap) ?? new Map<Row, Segment[]>()
  cache.set(maxGap, splits)
  let columns: Column[] = []
  const lines: Segment[][] = []
  let end = from
  for (; end < rows.length; end += 1) {
    const row = rows[end] ?? []
    const previous = rows[end - 1]
    if ((end > from && previous && !isNear(previous, row)) || row[0]?.table || isText(row)) break
    const cells = splits.get(row) ?? splitCells(row, spacing, maxGap)
    splits.set(row, cells)
    const [only] = cells
    if (cells.length < 2) {
      const column = only
        ? columns.findIndex((each) => only.left >= each.left - 2 && only.right <= each.right + 2)
        : -1
      if (column < 1 || lines.length === 0) break
      lines.push(cells)
      continue
    }
    const wider = merge(columns, cells)
    // A line that joins columns is text, or the table's end.
    if (columns.length > 0 && wider.length < Math.max(2, columns.length)) break
    if (wider.length > MAX_COLUMNS) break
    columns = wider
    lines.push(cells)
  }
  if (lines.length < MIN_ROWS || columns.length < 2) return null
  if (maxGap !== undefined && !isAligned(lines, columns)) return null
  columns = joinHalves(columns, lines)
  const placed = lines.map((cells) => toColumns(cells, columns))
  const found = groupLines(
    placed.map((cells, at) => ({
      cells,
      baseline: lines[at]?.[0]?.baseline ?? 0,
      size: lines[at]?.[0]?.size ?? 1,
    })),
    (at) => ((lines[at]?.length ?? 0) < 2 ? false : null),
  )
  const filled = found.flat().filter((cell) => cell.length > 0).length
  if (found.length < MIN_ROWS || columns.length < 2) return null
  if (filled < MIN_FILLED * columns.length * found.length) return null
  const block: TableBlock = {
    kind: 'table',
    alignments: columns.map(() => null),
    rows: found.map((line) => line.map(toCell)),
  }
  return { block, left: columns[0]?.left ?? 0, rows: end - from }
}

/**
 * Whether each line has a cell in each column, and all cells of a column but the head have the same left edge, right
 * edge or middle: words of a text do not.
 */
function isAligned(lines: readonly (readonly Segment[])[], columns: readonly Column[]): boolean {
  if (!lines.every((line) => line.length === columns.length)) return false
  return columns.every((_, at) => {
    const cells = lines.slice(1).flatMap((line) => line[at] ?? [])
    const spread = (edge: (cell: Segment) => number) => {
      let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
      for (const cell of cells) {
        min = Math.min(min, edge(cell))
        max = Math.max(max, edge(cell))
      }
      return max - min
    }
    const spreads = [
      spread(({ left }) => left),
      spread(({ right }) => right),
      spread((cell) => (cell.left + cell.right) / 2),
    ]
    return Math.min(...spreads) < MAX_SPREAD
  })
}

function isNear(one: Row, other: Row): boolean {
  const [first, second] = [one[0], other[0]]
  if (!first || !second) return false
  return second.baseline - first.baseline <= MAX_PITCH * Math.max(first.size, second.size)
}

/** Columns widened by the cells of a row; overlapping ones become one. */
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

/** Neighbours of which each line fills at most one, such as a centred head over numbers at the left, are one column. */
function joinHalves(columns: readonly Column[], lines: readonly (readonly Segment[])[]): Column[] {
  const joined: Column[] = []
  const isIn = (line: readonly Segment[], { left, right }: Column) =>
    line.some((cell) => cell.left < right && cell.right > left)
  // Only where no line has so many cells as there are columns.
  const max = lines.reduce((most, line) => Math.max(most, line.length), 0)
  let left = columns.length - max
  for (const column of columns) {
    const last = joined.at(-1)
    if (last && left > 0 && !lines.some((line) => isIn(line, last) && isIn(line, column))) {
      last.right = column.right
      left -= 1
    } else joined.push({ ...column })
  }
  return joined
}

function toColumns(cells: readonly Segment[], columns: readonly Column[]): Segment[][] {
  const placed: Segment[][] = columns.map(() => [])
  for (const cell of cells) {
    const at = columns.findIndex(({ right }) => cell.left < right)
    placed[at]?.push(cell)
  }
  return placed
}
