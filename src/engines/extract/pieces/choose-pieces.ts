import { type Element, isTag } from 'domhandler'
import { getChildren } from 'domutils'
import type { PageType } from '../page-type.ts'
import { sumOf } from './prepare-page.ts'
import type { Piece, Place } from './split-pieces.ts'

export type ClassifiedPage = {
  readonly pageType: PageType
  readonly pieces: readonly Piece[]
  /** Words per piece. */
  readonly counts: readonly number[]
  /** Predicted probability that each piece is content, 0 to 1. */
  readonly probabilities: readonly number[]
}

/** Bounds of the threshold, before a margin: above the maximum a piece is always kept, below the minimum dropped. */
const MAX_THRESHOLD = 0.5
const MIN_THRESHOLD = 0.2
/**
 * The extra probability that a piece needs in an article, and in a table. Of 0 to 0.2, and -0.15 to 0.1, these gave
 * the best word F1 with a model that had not seen the page's site.
 */
const ARTICLE_MARGIN = 0.1
const TABLE_MARGIN = -0.1

/**
 * Selects the pieces that maximize the expected word F1. On a page where all pieces are doubtful, more of
 * them are kept than on a page with certain ones.
 */
export function choosePieces(classified: ClassifiedPage): boolean[] {
  const probabilities = joinTables(classified)
  const threshold = Math.min(
    MAX_THRESHOLD,
    Math.max(MIN_THRESHOLD, findThreshold(classified.counts, probabilities)),
  )
  const margin = classified.pageType === 'article' ? ARTICLE_MARGIN : 0
  const isInTable = classified.pieces.map(({ block }) => findAround(block, 'table') !== null)
  return probabilities.map(
    (probability, at) => probability >= threshold + (isInTable[at] ? TABLE_MARGIN : margin),
  )
}

/** The probability of the last piece that still raises 2 * hits / (words kept + words wanted), all expected values. */
function findThreshold(counts: readonly number[], probabilities: readonly number[]): number {
  const hitsOf = (at: number) => (probabilities[at] ?? 0) * (counts[at] ?? 0)
  const wanted = sumOf(counts.map((_, at) => hitsOf(at)))
  let [hits, retained, best, threshold] = [0, 0, 0, MAX_THRESHOLD]
  for (const at of [...counts.keys()].sort(
    (one, other) => (probabilities[other] ?? 0) - (probabilities[one] ?? 0),
  )) {
    hits += hitsOf(at)
    retained += counts[at] ?? 0
    const f1 = (2 * hits) / (retained + wanted)
    if (f1 > best) [best, threshold] = [f1, probabilities[at] ?? 0]
  }
  return threshold
}

/** Keeps or drops a data table as a whole, by its most likely row. */
function joinTables({ pieces, counts, probabilities }: ClassifiedPage): readonly number[] {
  const blockOf = (at: number) => pieces[at]?.block ?? null
  const tables = Map.groupBy(pieces.keys(), (at) => findAround(blockOf(at), 'table'))
  const joined = [...probabilities]
  for (const [table, members] of tables) {
    if (table === null) continue
    const rows = Map.groupBy(members, (at) => findAround(blockOf(at), 'tr'))
    // Several pieces in a cell indicate a layout table, unless they are a list.
    const countIn = (inRow: readonly number[]) =>
      new Set(inRow.map((at) => findListCell(blockOf(at)) ?? at)).size
    const isData = rows.entries().every(([row, inRow]) => row !== null && countIn(inRow) <= countCells(row))
    if (!isData) continue
    const max = rows.values().reduce((best, inRow) => Math.max(best, meanOf(inRow, counts, probabilities)), 0)
    for (const at of members) joined[at] = max
  }
  return joined
}

/** The nearest element of a name at or above a block. */
export function findAround(block: Place | null, name: string): Element | null {
  for (let place = block; place !== null; place = place.above)
    if ('attribs' in place.element && place.element.name === name) return place.element
  return null
}

/** The cell around a block that is in a list in it; null for a block that is directly in its cell. */
function findListCell(block: Place | null): Element | null {
  let isInList = false
  for (let place = block; place !== null; place = place.above) {
    if (!('attribs' in place.element)) continue
    const { name } = place.element
    if (name === 'td' || name === 'th') return isInList ? place.element : null
    isInList ||= name === 'li' || name === 'dd' || name === 'dt'
  }
  return null
}

function countCells(row: Element): number {
  return getChildren(row).filter(isTag).length
}

function meanOf(
  members: readonly number[],
  counts: readonly number[],
  probabilities: readonly number[],
): number {
  const weight = (at: number) => (counts[at] ?? 0) + 1
  return sumOf(members.map((at) => (probabilities[at] ?? 0) * weight(at))) / sumOf(members.map(weight))
}
