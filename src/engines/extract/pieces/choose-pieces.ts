import { type Element, isTag } from 'domhandler'
import { getChildren } from 'domutils'
import type { Piece, Place } from './cut-pieces.ts'
import { sumOf } from './page-view.ts'

export type Judged = {
  /** Of each piece, whether Readability takes it. */
  readonly isInArticle: readonly boolean[]
  /** Whether the page looks like one text, and Readability found it. */
  readonly isText: boolean
  readonly pieces: readonly Piece[]
  /** Words of each. */
  readonly counts: readonly number[]
  /** How likely each is content, 0 to 1. */
  readonly odds: readonly number[]
}

/** However doubtful a page is, what is more likely than not stays, and what is most unlikely goes. */
const SURE = 0.5
const UNLIKELY = 0.2
/**
 * How much likelier a piece of a page that is one text must be if Readability leaves it. Of 0.1 to 0.25 it was best for
 * the runs of four words of articles, by forests that had not seen the page's site.
 */
const DOUBT = 0.15

/**
 * Chooses the pieces that are the content: those for which the expected F1 of words is the highest. On a page whose
 * pieces are all doubtful more of them are kept than where some are sure.
 */
export function choosePieces(judged: Judged): boolean[] {
  const { counts, isInArticle, isText } = judged
  const odds = joinTables(judged)
  const cut = Math.min(SURE, Math.max(UNLIKELY, findCut(counts, odds)))
  return odds.map((chance, at) => chance >= (isText && !isInArticle[at] ? cut + DOUBT : cut))
}

/** What Readability takes of a page that is one text stays unless it is rather not content. */
const TAKEN = 0.3
/** What it leaves of such a page must be as good as certain. */
const LEFT = 0.9

/** Chooses the pieces of a page that declares itself to be one text, which Readability knows best. */
export function chooseArticle({ odds, isInArticle }: Judged): boolean[] {
  return odds.map((chance, at) => chance >= (isInArticle[at] ? TAKEN : LEFT))
}

/** The chance of the last piece that still raises 2 * hits / (words kept + words wanted), all as expected. */
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

/** A table of data stays or goes as a whole, by its likeliest row. */
function joinTables({ pieces, counts, odds }: Judged): readonly number[] {
  const blockOf = (at: number) => pieces[at]?.block ?? null
  const tables = Map.groupBy(pieces.keys(), (at) => findAround(blockOf(at), 'table'))
  const joined = [...odds]
  for (const [table, members] of tables) {
    if (table === null) continue
    const rows = Map.groupBy(members, (at) => findAround(blockOf(at), 'tr'))
    // Cells of several pieces arrange a page.
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
