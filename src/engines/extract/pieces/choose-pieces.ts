import type { Element } from 'domhandler'
import type { PageType } from '../page-type.ts'
import { findGroups, type PieceGroup } from './find-groups.ts'
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
export function choosePieces(
  classified: ClassifiedPage,
  groups: readonly PieceGroup[] = findGroups(classified.pieces, classified.counts),
): boolean[] {
  const probabilities = joinGroups(classified, groups)
  const threshold = Math.min(
    MAX_THRESHOLD,
    Math.max(MIN_THRESHOLD, findThreshold(classified.counts, probabilities)),
  )
  const margin = classified.pageType === 'article' ? ARTICLE_MARGIN : 0
  const margins: number[] = classified.pieces.map(() => margin)
  for (const { kind, members } of groups)
    for (const at of members) margins[at] = kind === 'table' ? TABLE_MARGIN : margin
  const isChosen = probabilities.map((probability, at) => probability >= threshold + (margins[at] ?? 0))
  return keepNear({ ...classified, probabilities }, groups, isChosen)
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

/** The probability of a list or definition list is the mean of its pieces, that of a table the one of its best row. */
function joinGroups(
  { pieces, counts, probabilities }: ClassifiedPage,
  groups: readonly PieceGroup[],
): readonly number[] {
  const joined = [...probabilities]
  for (const { kind, members } of groups) {
    const rows = kind === 'table' ? rowsOf(pieces, members) : [members]
    const max = rows.reduce((best, row) => Math.max(best, meanOf(row, counts, probabilities)), 0)
    for (const at of members) joined[at] = max
  }
  return joined
}

function rowsOf(pieces: readonly Piece[], members: readonly number[]): readonly (readonly number[])[] {
  return [...Map.groupBy(members, (at) => findAround(pieces[at]?.block ?? null, 'tr')).values()]
}

/** A list or table between two kept pieces needs this probability only, and a table or definition list next to one. */
const MIN_BETWEEN = 0.04
const MIN_BESIDE = 0.12
/** One with a larger share of link text leads elsewhere. */
const MAX_LINKS = 0.5

/** Keeps a list or table that continues kept text. */
function keepNear(
  { pieces, probabilities }: ClassifiedPage,
  groups: readonly PieceGroup[],
  isChosen: readonly boolean[],
): boolean[] {
  const extended = [...isChosen]
  for (const { kind, members } of groups) {
    const [first = 0, last = 0] = [members[0], members.at(-1)]
    if (isChosen[first]) continue
    const sides = Number(isChosen[first - 1] === true) + Number(isChosen[last + 1] === true)
    const isNear = sides === 2 || (sides === 1 && kind !== 'list')
    if (!isNear || (probabilities[first] ?? 0) < (sides === 2 ? MIN_BETWEEN : MIN_BESIDE)) continue
    if (linkShareOf(pieces, members) > MAX_LINKS) continue
    for (const at of members) extended[at] = true
  }
  return extended
}

function linkShareOf(pieces: readonly Piece[], members: readonly number[]): number {
  const chars = sumOf(members.map((at) => pieces[at]?.text.length ?? 0))
  return sumOf(members.map((at) => pieces[at]?.linkChars ?? 0)) / Math.max(1, chars)
}

/** The nearest element of a name at or above a block. */
export function findAround(block: Place | null, name: string): Element | null {
  for (let place = block; place !== null; place = place.above)
    if ('attribs' in place.element && place.element.name === name) return place.element
  return null
}

function meanOf(
  members: readonly number[],
  counts: readonly number[],
  probabilities: readonly number[],
): number {
  const weight = (at: number) => (counts[at] ?? 0) + 1
  return sumOf(members.map((at) => (probabilities[at] ?? 0) * weight(at))) / sumOf(members.map(weight))
}
