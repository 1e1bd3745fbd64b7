import { type CellGroup, findCells } from './find-cells.ts'
import { readFramed } from './read-framed.ts'
import type { Box } from './read-shapes.ts'
import type { Word } from './read-words.ts'
import type { Segment, TableBlock } from './segments.ts'
import { toCell } from './to-inlines.ts'

type Cells = { readonly words: Set<Word>; readonly rows: readonly (readonly (readonly Word[])[])[] }

/** A cell with more characters than this is a part of the page in a frame. */
const MAX_CELL_CHARS = 1_500
const MIN_FILLED = 0.2
/** Of one table on a page; a drawing may have more. */
const MAX_CELLS = 5_000

/**
 * Takes the tables that lines or backgrounds show out of the words of a page.
 * @param words of one direction
 * @returns the tables as segments, and the words outside of them
 */
export function takeTables(
  words: readonly Word[],
  boxes: readonly Box[],
): { readonly tables: readonly Segment[]; readonly rest: readonly Word[] } {
  if (boxes.length === 0) return { tables: [], rest: words }
  const tables: Segment[] = []
  let rest = words
  const take = ({ words: taken, rows }: Cells) => {
    tables.push(toTable(taken, rows))
    rest = rest.filter((word) => !taken.has(word))
  }
  const groups = findCells(boxes)
  for (const group of groups) {
    const found = readGrid(group, rest)
    if (found) take(found)
  }
  for (const found of readFramed(rest, { groups, boxes })) take(found)
  return { tables, rest }
}

/** A table whose cells are all enclosed; of spanning cells the first place has the text. */
function readGrid({ cells }: CellGroup, words: readonly Word[]): Cells | null {
  const lefts = distinct(cells.map(({ left }) => left))
  const tops = distinct(cells.map(({ top }) => top))
  if (lefts.length < 2 || tops.length < 2 || cells.length > MAX_CELLS) return null
  const grid: Word[][][] = tops.map(() => lefts.map(() => []))
  const taken = new Set<Word>()
  for (const word of words) {
    const [x, y] = [(word.left + word.right) / 2, word.baseline - 0.3 * word.size]
    const cell = cells.find((each) => x > each.left && x < each.right && y > each.top && y < each.bottom)
    if (!cell) continue
    grid[tops.indexOf(cell.top)]?.[lefts.indexOf(cell.left)]?.push(word)
    taken.add(word)
  }
  const rows = withoutEmpty(grid)
  const all = rows.flat()
  const filled = all.filter((cell) => cell.length > 0)
  if (rows.length < 2 || (rows[0]?.length ?? 0) < 2 || filled.length < MIN_FILLED * all.length) return null
  const isPage = filled.some((cell) => cell.reduce((sum, { text }) => sum + text.length, 0) > MAX_CELL_CHARS)
  return isPage ? null : { words: taken, rows }
}

function withoutEmpty(grid: readonly (readonly Word[][])[]): Word[][][] {
  const rows = grid.filter((row) => row.some((cell) => cell.length > 0))
  const isFilled = (grid[0] ?? []).map((_, x) => rows.some((row) => (row[x]?.length ?? 0) > 0))
  return rows.map((row) => row.filter((_, x) => isFilled[x]))
}

function distinct(values: readonly number[]): number[] {
  return [...new Set(values)].sort((one, other) => one - other)
}

function toTable(words: ReadonlySet<Word>, rows: Cells['rows']): Segment {
  const block: TableBlock = {
    kind: 'table',
    alignments: (rows[0] ?? []).map(() => null),
    rows: rows.map((row) => row.map(toCell)),
  }
  let [left, right, baseline] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const word of words) {
    left = Math.min(left, word.left)
    right = Math.max(right, word.right)
    baseline = Math.min(baseline, word.baseline)
  }
  // Without a size it stands in a row of its own.
  return { words: [], left, right, baseline, size: 0, drawn: 0, table: { block, words: [...words] } }
}
