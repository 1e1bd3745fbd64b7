import { addBullets } from './find-bullets.ts'
import type { Shapes } from './read-shapes.ts'
import type { Word } from './read-words.ts'
import { type Row, type Segment, toRows, toSegments } from './segments.ts'
import { takeTables } from './take-tables.ts'

/** A column of text has at least so many lines. */
const MIN_LINES = 3
/**
 * And so many characters in a line on average, if the page draws it as a whole; more if it draws line by line
 * over both columns, as it does for tables.
 */
const MIN_LINE_CHARS = 8
const MIN_MIXED_LINE_CHARS = 18
/** Changes between the columns per line in pages that draw each as a whole. */
const MAX_CHANGES = 0.2
const MAX_DEPTH = 6
/** Gutters that are tried; a page has few left edges, a drawing thousands. */
const MAX_GUTTERS = 60

/**
 * Rows of a page in reading order, one list for each region: lines that span the page, and between them the left
 * column before the right one. Turned text follows.
 */
export function orderLines(
  words: readonly Word[],
  readShapes: (turns: number) => Shapes = noShapes,
): Row[][] {
  const byTurns = [...Map.groupBy(words, ({ turns }) => turns).values()]
  const byCount = byTurns.sort((one, other) => other.length - one.length)
  return byCount.flatMap((group, at) => {
    // Text in other directions is a note at the margin or the name of a column.
    const shapes = at === 0 ? readShapes(group[0]?.turns ?? 0) : noShapes()
    const { tables, rest } = takeTables(addBullets(group, shapes.dots), shapes.boxes)
    return orderRegion([...toSegments(rest), ...tables], 0)
  })
}

function noShapes(): Shapes {
  return { boxes: [], dots: [] }
}

function orderRegion(segments: readonly Segment[], depth: number): Row[][] {
  const gutter = depth < MAX_DEPTH ? findGutter(segments) : null
  if (gutter === null) return [toRows(segments)]
  const spanning = segments.filter((segment) => isCrossing(segment, gutter)).map(({ baseline }) => baseline)
  const edges = [...new Set(spanning)].sort((one, other) => one - other)
  const zones: { readonly left: Segment[]; readonly right: Segment[]; readonly across: Segment[] }[] = []
  for (const segment of segments) {
    const above = countBelow(edges, segment.baseline)
    // Odd zones are the lines that span, even ones lie between them.
    const at = isCrossing(segment, gutter) ? 2 * above + 1 : 2 * above
    const zone = zones[at] ?? { left: [], right: [], across: [] }
    zones[at] = zone
    if (isCrossing(segment, gutter)) zone.across.push(segment)
    else if (segment.right <= gutter + 1) zone.left.push(segment)
    else zone.right.push(segment)
  }
  const regions: Row[][] = []
  let isSpanning = false
  for (const zone of zones) {
    if (!zone) continue
    const { across } = zone
    if (across.length > 0) {
      const last = regions.at(-1)
      if (isSpanning && last) last.push(...toRows(across))
      else regions.push(toRows(across))
      isSpanning = true
    } else {
      for (const side of [zone.left, zone.right])
        if (side.length > 0) regions.push(...orderRegion(side, depth + 1))
      isSpanning = false
    }
  }
  return regions
}

/** Number of edges before a value; an edge at the value itself does not count. */
function countBelow(edges: readonly number[], value: number): number {
  let [low, high] = [0, edges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((edges[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

function isCrossing({ left, right }: Segment, gutter: number): boolean {
  return left < gutter - 1 && right > gutter + 1
}

/** The left edge of a right column: columns of text on both sides, and less text across it than next to it. */
function findGutter(segments: readonly Segment[]): number | null {
  const drawn = segments.filter(({ table }) => !table).sort((one, other) => one.drawn - other.drawn)
  const counts = new Map<number, number>()
  for (const { left } of drawn) counts.set(Math.round(left), (counts.get(Math.round(left)) ?? 0) + 1)
  const edges = [...counts].filter(([, count]) => count >= 2).sort((one, other) => other[1] - one[1])
  let best: { readonly x: number; readonly score: number } | null = null
  for (const [edge] of edges.slice(0, MAX_GUTTERS)) {
    const x = edge - 2
    const left = sizeOf(drawn.filter(({ right }) => right <= x + 1))
    const right = sizeOf(drawn.filter((segment) => segment.left >= x - 1))
    const across = sizeOf(drawn.filter((segment) => isCrossing(segment, x)))
    if (Math.min(left.lines, right.lines) < MIN_LINES) continue
    const isMixed = countChanges(drawn, x) > MAX_CHANGES * Math.min(left.lines, right.lines)
    const minChars = isMixed ? MIN_MIXED_LINE_CHARS : MIN_LINE_CHARS
    if (left.chars < minChars * left.lines || right.chars < minChars * right.lines) continue
    if (Math.min(left.bottom, right.bottom) <= Math.max(left.top, right.top)) continue
    const score = Math.min(left.chars, right.chars) - across.chars
    if (score > (best?.score ?? 0)) best = { x, score }
  }
  return best?.x ?? null
}

type Extent = {
  readonly lines: number
  readonly chars: number
  readonly top: number
  readonly bottom: number
}

function sizeOf(segments: readonly Segment[]): Extent {
  let [chars, top, bottom] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { words, baseline } of segments) {
    for (const { text } of words) chars += text.length + 1
    top = Math.min(top, baseline)
    bottom = Math.max(bottom, baseline)
  }
  return { lines: segments.length, chars, top, bottom }
}

/** How often the page changes over from one column to the other. */
function countChanges(drawn: readonly Segment[], gutter: number): number {
  const sides = drawn.filter((segment) => !isCrossing(segment, gutter)).map(({ left }) => left >= gutter - 1)
  return sides.filter((side, at) => at > 0 && side !== sides[at - 1]).length - 1
}
