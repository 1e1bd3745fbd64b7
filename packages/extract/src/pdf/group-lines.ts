import type { Word } from './read-words.ts'
import type { Segment } from './segments.ts'

/** A line of text of a table, in its columns. */
export type TableLine = {
  readonly cells: readonly (readonly Segment[])[]
  readonly baseline: number
  readonly size: number
}

/** Ink reaches about this far above and below the baseline, in font sizes. */
const ASCENT = 0.8
const DESCENT = 0.2
/** If so many lines have text in each column, each is a row. */
const MIN_WHOLE = 0.8
/** Gaps between rows are larger than those between the lines of a cell, by at least this factor. */
const MIN_RATIO = 1.4
/** Lines of one cell have no larger gap than this, in font sizes. */
const MAX_LEADING = 0.8

/**
 * The rows of a table of which a cell may have several lines.
 * @param isSplit whether the page draws a line between two lines of text, given by their number; null if it is
 * unknown
 */
export function groupLines(lines: readonly TableLine[], isSplit: (at: number) => boolean | null): Word[][][] {
  const gaps = gapsOf(lines)
  const limit = limitOf(lines, gaps)
  const rows: Word[][][] = []
  for (const [at, { cells }] of lines.entries()) {
    const isNew = isSplit(at) ?? (gaps[at] ?? Number.POSITIVE_INFINITY) > limit
    if (at === 0 || isNew) rows.push(cells.map(() => []))
    for (const [column, cell] of cells.entries())
      for (const { words } of cell) for (const word of words) rows.at(-1)?.[column]?.push(word)
  }
  return rows
}

/** The white space over each line, which is negative if it overlaps with a line before it. */
function gapsOf(lines: readonly TableLine[]): number[] {
  let bottom = Number.NEGATIVE_INFINITY
  return lines.map(({ baseline, size }) => {
    const gap = baseline - ASCENT * size - bottom
    bottom = Math.max(bottom, baseline + DESCENT * size)
    return gap
  })
}

/** Gaps up to this are between lines of one row. */
function limitOf(lines: readonly TableLine[], gaps: readonly number[]): number {
  const filled = lines.map(({ cells }) => cells.filter((cell) => cell.length > 0).length)
  const most = filled.reduce((max, count) => Math.max(max, count), 0)
  const whole = filled.filter((count) => count === most).length
  const size = lines.reduce((max, line) => Math.max(max, line.size), 0)
  const overlap = -0.3 * size
  if (whole >= MIN_WHOLE * lines.length) return overlap
  const sorted = gaps
    .slice(1)
    .filter((gap) => gap > 0)
    .sort((one, other) => one - other)
  const [min = 0, max = 0] = [sorted[0], sorted.at(-1)]
  return max > MIN_RATIO * min + 0.1 * size && min < MAX_LEADING * size ? (min + max) / 2 : overlap
}
