import { toBits } from './phrases.ts'
import type { FeatureGroup, PreparedPage } from './prepare-page.ts'

/** Neighbours on each side that have their own features. */
const NEIGHBOURS = 2
/** Neighbours on each side that are summed up. */
const WINDOW = 4
/** A piece with at least this many words and a link share below PROSE_LINKS is prose. */
const PROSE_WORDS = 15
const PROSE_LINKS = 0.4

/** Features of a piece's position: its place in the page, its heading, its neighbours. */
export const orderFeatures: FeatureGroup = (view) => {
  const { pieces, counts, linkShares, levels, totalWords } = view
  const firstTitle = levels.indexOf(1)
  const before = runningSums(counts)
  const linked = runningSums(counts.map((count, at) => count * (linkShares[at] ?? 0)))
  const inside = runningSums(view.isInside.map(Number))
  const prose = runningSums(counts.map((_, at) => Number(isProse(view, at))))
  const [firstInside, lastInside] = [view.isInside.indexOf(true), view.isInside.lastIndexOf(true)]
  const isProseAt = counts.map((_, at) => isProse(view, at))
  const [firstProse, lastProse] = [isProseAt.indexOf(true), isProseAt.lastIndexOf(true)]
  const headings = headingsOf(levels)
  const sumIn = (sums: Float64Array, from: number, to: number) => (sums[to] ?? 0) - (sums[from] ?? 0)
  return (at) => {
    const { heading, next } = headings[at] ?? { heading: -1, next: pieces.length }
    const from = Math.max(0, heading)
    const sectionWords = sumIn(before, from, next)
    const [start, end] = [Math.max(0, at - WINDOW), Math.min(pieces.length, at + WINDOW + 1)]
    const nearWords = sumIn(before, start, end)
    let maxWords = 0
    for (let other = start; other < end; other += 1) maxWords = Math.max(maxWords, counts[other] ?? 0)
    const row = [
      at / pieces.length,
      (before[at] ?? 0) / totalWords,
      firstTitle < 0 ? 0 : at - firstTitle,
      levels[at] ?? 0,
      heading < 0 ? -1 : at - heading,
      levels[heading] ?? 0,
      ...toBits(heading < 0 ? 0 : (view.phrases[heading] ?? 0)),
      sectionWords,
      sectionWords / totalWords,
      sumIn(linked, from, next) / Math.max(1, sectionWords),
      next - from,
      sumIn(inside, from, next) / (next - from),
      sumIn(prose, from, next),
      nearWords,
      sumIn(linked, start, end) / Math.max(1, nearWords),
      sumIn(inside, start, end),
      sumIn(prose, start, end),
      maxWords,
      at - firstInside,
      at - lastInside,
      at - firstProse,
      at - lastProse,
    ]
    for (let step = 1; step <= NEIGHBOURS; step += 1)
      for (const other of [at - step, at + step])
        row.push(
          counts[other] ?? -1,
          linkShares[other] ?? -1,
          levels[other] ?? -1,
          toFeature(view.isInside[other]),
        )
    return row
  }
}

export function isProse({ counts, linkShares }: PreparedPage, at: number): boolean {
  return (counts[at] ?? 0) >= PROSE_WORDS && (linkShares[at] ?? 0) < PROSE_LINKS
}

/**
 * For each piece, the index of the nearest heading at or above it and of the next one; -1 and the length if
 * there is none.
 */
function headingsOf(levels: readonly number[]): { heading: number; next: number }[] {
  const found = levels.map(() => ({ heading: -1, next: levels.length }))
  let heading = -1
  for (const [at, place] of found.entries()) {
    if ((levels[at] ?? 0) > 0) heading = at
    place.heading = heading
  }
  let next = levels.length
  for (const [at, place] of [...found.entries()].reverse()) {
    place.next = next
    if ((levels[at] ?? 0) > 0) next = at
  }
  return found
}

/** Prefix sums: entry n is the sum of the first n values. */
function runningSums(values: readonly number[]): Float64Array {
  const sums = new Float64Array(values.length + 1)
  for (const [at, value] of values.entries()) sums[at + 1] = (sums[at] ?? 0) + value
  return sums
}

function toFeature(value: boolean | undefined): number {
  return value === undefined ? -1 : Number(value)
}
