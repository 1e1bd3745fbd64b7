import type { CellGroup } from './find-cells.ts'
import { groupLines, type TableLine } from './group-lines.ts'
import { type Box, MAX_RULE } from './read-shapes.ts'
import type { Word } from './read-words.ts'
import { type Row, type Segment, toRows, toSegments } from './segments.ts'
import { spacingOf, splitCells } from './split-cells.ts'

/** What shows the columns of a table: a row with backgrounds, or a line in pieces. */
type Frame = { readonly edges: readonly number[]; readonly top: number; readonly bottom: number }

type Found = { readonly words: Set<Word>; readonly rows: Word[][][] }

/** Edges of columns differ by less than this between rows, in points. */
const SAME = 3
/** Text may overlap the edge of its column by this, in points. */
const OVERLAP = 2
/** Lines further apart than this, in font sizes, are not of one table. */
const MAX_PITCH = 4
/** A space between words of one cell, in font sizes, where a page draws no spaces. */
const MAX_PLACED_GAP = 0.6
const MAX_FRAMES = 200

/** Tables of which lines or backgrounds show the columns, but not all cells. */
export function* readFramed(
  words: readonly Word[],
  { groups, boxes }: { readonly groups: readonly CellGroup[]; readonly boxes: readonly Box[] },
): Generator<Found> {
  const frames = [...groups.flatMap(toFrame), ...joinPieces(boxes)].sort((one, other) => one.top - other.top)
  if (frames.length === 0) return
  const segments = toSegments(words)
  const spacing = spacingOf(segments)
  const rows = toRows(segments).map((row) => splitCells(row, spacing, MAX_PLACED_GAP))
  const taken = new Set<Word>()
  let end = Number.NEGATIVE_INFINITY
  for (const frame of frames.slice(0, MAX_FRAMES)) {
    if (frame.bottom <= end) continue
    const alike = frames.filter((other) => isAlike(frame, other))
    const lines = linesOf(frame, alike, { rows, taken })
    const found = toRowsOfCells(lines, alike, boxes)
    const isTop = lines.length > 0 && rows[0]?.[0]?.baseline === lines[0]?.baseline
    // The only row at the top of a page goes on with the table of the page before it.
    if (!found || (found.rows.length < 2 && !(isTop && frame.bottom - frame.top > MAX_RULE))) continue
    end = lines.at(-1)?.baseline ?? end
    for (const word of found.words) taken.add(word)
    yield found
  }
}

function toFrame({ cells }: CellGroup): Frame[] {
  const [first] = cells
  if (
    !first ||
    cells.length < 2 ||
    cells.some(({ top, bottom }) => top !== first.top || bottom !== first.bottom)
  )
    return []
  const sorted = cells.toSorted((one, other) => one.left - other.left)
  return [
    { edges: [first.left, ...sorted.map(({ right }) => right)], top: first.top, bottom: first.bottom },
  ].map((frame) => ({ ...frame, edges: [sorted[0]?.left ?? 0, ...frame.edges.slice(1)] }))
}

/** Lines across that are drawn cell by cell. */
function joinPieces(boxes: readonly Box[]): Frame[] {
  const flat = boxes
    .filter(({ left, right, top, bottom }) => bottom - top <= MAX_RULE && right - left > MAX_RULE)
    .sort((one, other) => one.top - other.top || one.left - other.left)
  const chains: { edges: number[]; readonly top: number; readonly bottom: number }[] = []
  for (const { left, right, top, bottom } of flat) {
    const last = chains.at(-1)
    const end = last?.edges.at(-1) ?? 0
    if (last && Math.abs(last.top - top) < 1 && Math.abs(left - end) <= SAME && right > end)
      last.edges.push(right)
    else chains.push({ edges: [left, right], top, bottom })
  }
  return chains.filter(({ edges }) => edges.length > 2)
}

function isAlike({ edges }: Frame, other: Frame): boolean {
  return (
    edges.length === other.edges.length &&
    edges.every((edge, at) => Math.abs(edge - (other.edges[at] ?? 0)) <= SAME)
  )
}

/** Lines of text that fit the columns of a frame, above and below it without a break. */
function linesOf(
  frame: Frame,
  alike: readonly Frame[],
  page: { readonly rows: readonly Row[]; readonly taken: ReadonlySet<Word> },
): TableLine[] {
  const lines = page.rows.flatMap((row) => toLine(row, frame, page) ?? [])
  const start = lines.findIndex(({ baseline }) => baseline > frame.top)
  const chosen: TableLine[] = []
  const isNear = (one: TableLine, other: TableLine) =>
    other.baseline - one.baseline <= MAX_PITCH * Math.max(one.size, other.size)
  for (let at = start < 0 ? lines.length - 1 : start - 1; at >= 0; at -= 1) {
    const line = lines[at]
    const next = chosen[0]
    const isOn = line && (next ? isNear(line, next) : frame.top - line.baseline < MAX_PITCH * line.size)
    if (!line || !isOn || countFilled(line) < 2) break
    chosen.unshift(line)
  }
  for (const line of start < 0 ? [] : lines.slice(start)) {
    const last = chosen.at(-1)
    const isOn = last ? isNear(last, line) : line.baseline - frame.bottom < MAX_PITCH * line.size
    // A line of a single cell is one of the table if the table goes on, or if its column is not the first.
    const goesOn = alike.some(
      ({ bottom }) => bottom > line.baseline && bottom - line.baseline < MAX_PITCH * line.size,
    )
    const isPart =
      countFilled(line) > 1 || (countFilled(line) === 1 && (goesOn || line.cells[0]?.length === 0))
    if (!isOn || !isPart) break
    chosen.push(line)
  }
  return chosen
}

function countFilled({ cells }: TableLine): number {
  return cells.filter((cell) => cell.length > 0).length
}

/** Null if no text is between the edges; without cells if text crosses the edge of a column. */
function toLine(
  row: Row,
  { edges }: Frame,
  { taken }: { readonly taken: ReadonlySet<Word> },
): TableLine | null {
  const [first = 0, last = 0] = [edges[0], edges.at(-1)]
  const parts = row.filter(
    ({ left, right, words }) =>
      right > first - SAME && left < last + SAME && !words.some((word) => taken.has(word)),
  )
  const [part] = parts
  if (!part) return null
  const cells: Segment[][] = edges.slice(1).map(() => [])
  for (const each of parts) {
    const at = edges.findIndex(
      (edge, index) => each.left >= edge - OVERLAP && each.right <= (edges[index + 1] ?? 0) + OVERLAP,
    )
    const cell = cells[at]
    if (!cell) return { cells: [], baseline: part.baseline, size: part.size }
    cell.push(each)
  }
  return { cells, baseline: part.baseline, size: part.size }
}

/** Lines between which the page draws something are different rows, and lines before one background are one. */
function toRowsOfCells(
  lines: readonly TableLine[],
  alike: readonly Frame[],
  boxes: readonly Box[],
): Found | null {
  if (lines.length === 0) return null
  const [left = 0, right = 0] = [alike[0]?.edges[0], alike[0]?.edges.at(-1)]
  const isWide = (box: Box) =>
    box.right - box.left > 0.5 * (right - left) && box.left < right && box.right > left
  const edges = [...alike, ...boxes.filter(isWide)].flatMap(({ top, bottom }) => [top, bottom])
  const isWithin = ({ baseline, size }: TableLine, { top, bottom }: Frame) =>
    baseline - 0.3 * size > top && baseline - 0.3 * size < bottom
  const rows = groupLines(lines, (at) => {
    const [previous, line] = [lines[at - 1], lines[at]]
    if (!previous || !line) return true
    if (alike.some((frame) => isWithin(previous, frame) && isWithin(line, frame))) return false
    const isCut = edges.some(
      (edge) => edge > previous.baseline - 0.3 * previous.size && edge < line.baseline - 0.3 * line.size,
    )
    return isCut ? true : null
  })
  return { rows, words: new Set(rows.flat(2)) }
}
