import type { Element } from 'domhandler'
import type { PageType } from '../page-type.ts'
import { findGroups, type PieceGroup } from './find-groups.ts'
import { keepNear, linkShareOf } from './keep-near.ts'
import { GROUPS } from './name-groups.ts'
import { sumOf } from './prepare-page.ts'
import { FAR, type Piece, type Place } from './split-pieces.ts'

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
/** The maximum extra probability of a list that is not in comments, and of one with more links than LINKED. */
const LIST_MARGIN = 0
const LINKED_MARGIN = 0.05
const LINKED = 0.3
const COMMENTS = GROUPS.indexOf('comments')

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
  for (const group of groups)
    for (const at of group.members) margins[at] = marginOf(classified, group, margin)
  const isChosen = probabilities.map((probability, at) => probability >= threshold + (margins[at] ?? 0))
  return keepNear({ ...classified, probabilities, isChosen }, groups)
}

function marginOf({ pieces }: ClassifiedPage, { kind, members }: PieceGroup, margin: number): number {
  if (kind === 'table') return TABLE_MARGIN
  if ((pieces[members[0] ?? 0]?.place.distances[COMMENTS] ?? FAR) < FAR) return margin
  return Math.min(margin, linkShareOf(pieces, members) > LINKED ? LINKED_MARGIN : LIST_MARGIN)
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

/** The pieces of a table by rows. */
export function rowsOf(pieces: readonly Piece[], members: readonly number[]): readonly (readonly number[])[] {
  return [...Map.groupBy(members, (at) => findAround(pieces[at]?.block ?? null, 'tr')).values()]
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
