import { type Element, isTag } from 'domhandler'
import { getChildren } from 'domutils'
import type { Piece, Place } from './cut-pieces.ts'
import { sumOf } from './page-view.ts'

export type Judged = {
  /** For each piece, whether Readability keeps it. */
  readonly isInArticle: readonly boolean[]
  /** Whether the page looks like a single text and Readability found it. */
  readonly isText: boolean
  readonly pieces: readonly Piece[]
  /** Words per piece. */
  readonly counts: readonly number[]
  /** Predicted probability that each piece is content, 0 to 1. */
  readonly odds: readonly number[]
}

/** Bounds of the threshold: above SURE a piece is always kept, below UNLIKELY always dropped. */
const SURE = 0.5
const UNLIKELY = 0.2
/**
 * On a page with a single text, the extra probability that a piece needs if Readability drops it. Of 0.1 to
 * 0.25 this gave the best four-gram score on articles, with models that had not seen the page's site.
 */
const DOUBT = 0.15

/**
 * Selects the pieces that maximize the expected word F1. On a page where all pieces are doubtful, more of
 * them are kept than on a page with certain ones.
 */
export function choosePieces(judged: Judged): boolean[] {
  const { counts, isInArticle, isText } = judged
  const odds = joinTables(judged)
  const cut = Math.min(SURE, Math.max(UNLIKELY, findCut(counts, odds)))
  return odds.map((chance, at) => chance >= (isText && !isInArticle[at] ? cut + DOUBT : cut))
}

/** On a page with a single text, pieces that Readability keeps are dropped only below this probability. */
const TAKEN = 0.3
/** Pieces that Readability drops are kept only from this probability. */
const LEFT = 0.9

/** Selects the pieces of a page that declares itself an article, where Readability is the most reliable. */
export function chooseArticle({ odds, isInArticle }: Judged): boolean[] {
  return odds.map((chance, at) => chance >= (isInArticle[at] ? TAKEN : LEFT))
}

/**
 * The probability of the last piece that still raises 2 * hits / (words kept + words wanted), all expected
 * values.
 */
function findCut(counts: readonly number[], odds: readonly number[]): number {
  const hitsOf = (at: number) => (odds[at] ?? 0) * (counts[at] ?? 0)
  const wanted = sumOf(counts.map((_, at) => hitsOf(at)))
  let [hits, kept, best, cut] = [0, 0, 0, SURE]
  for (const at of [...counts.keys()].sort((one, other) => (odds[other] ?? 0) - (odds[one] ?? 0))) {
    hits += hitsOf(at)
    kept += counts[at] ?? 0
    const f1 = (2 * hits) / (kept + wanted)
    if (f1 > best) [best, cut] = [f1, odds[at] ?? 0]
  }
  return cut
}

/** Keeps or drops a data table as a whole, by its most likely row. */
function joinTables({ pieces, counts, odds }: Judged): readonly number[] {
  const blockOf = (at: number) => pieces[at]?.block ?? null
  const tables = Map.groupBy(pieces.keys(), (at) => findAround(blockOf(at), 'table'))
  const joined = [...odds]
  for (const [table, members] of tables) {
    if (table === null) continue
    const rows = Map.groupBy(members, (at) => findAround(blockOf(at), 'tr'))
    // Several pieces in a cell indicate a layout table.
    const isData = rows.entries().every(([row, inRow]) => row !== null && inRow.length <= countCells(row))
    if (!isData) continue
    const max = rows.values().reduce((best, inRow) => Math.max(best, meanOf(inRow, counts, odds)), 0)
    for (const at of members) joined[at] = max
  }
  return joined
}

function findAround(block: Place | null, name: string): Element | null {
  for (let place = block; place !== null; place = place.above)
    if ('attribs' in place.element && place.element.name === name) return place.element
  return null
}

function countCells(row: Element): number {
  return getChildren(row).filter(isTag).length
}

function meanOf(members: readonly number[], counts: readonly number[], odds: readonly number[]): number {
  const weight = (at: number) => (counts[at] ?? 0) + 1
  return sumOf(members.map((at) => (odds[at] ?? 0) * weight(at))) / sumOf(members.map(weight))
}
