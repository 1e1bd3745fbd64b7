import type { Document, Element } from 'domhandler'
import type { Piece, Place } from './split-pieces.ts'

/** A list, a definition list or a data table, which is kept or dropped as a whole. */
export type PieceGroup = {
  readonly element: Element
  readonly kind: GroupKind
  /** Indices of its pieces, in reading order. */
  readonly members: readonly number[]
}

export type GroupKind = 'list' | 'definitions' | 'table'

const KINDS: Readonly<Record<string, GroupKind>> = {
  ul: 'list',
  ol: 'list',
  menu: 'list',
  dl: 'definitions',
  table: 'table',
}
/** A list with these in its items arranges other content, such as cards or the columns of a page. */
const ARRANGED = new Set('h1 h2 h3 h4 h5 h6 table article section nav form'.split(' '))
const CELLS = new Set(['td', 'th'])
/** A cell with more pieces, or with several pieces and more words, is a part of a layout. */
const MAX_CELL_PIECES = 3
const MAX_CELL_WORDS = 60

/** Finds the outermost lists and data tables, in the order of their first pieces. */
export function findGroups(pieces: readonly Piece[], counts: readonly number[]): PieceGroup[] {
  const arranging = findArranging(pieces, counts)
  const found = new Map<Element, number[]>()
  for (const [at, { block }] of pieces.entries()) {
    let group: Element | null = null
    for (const element of elementsAround(block))
      if (KINDS[element.name] !== undefined && !arranging.has(element)) group = element
    if (group === null) continue
    const members = found.get(group)
    if (members) members.push(at)
    else found.set(group, [at])
  }
  return [...found].map(([element, members]) => ({
    element,
    kind: KINDS[element.name] ?? 'list',
    members,
  }))
}

/** The lists and tables that arrange other content. */
function findArranging(pieces: readonly Piece[], counts: readonly number[]): ReadonlySet<Element> {
  const arranging = new Set<Element>()
  const cells = new Map<Element, { pieces: number; words: number; readonly table: Element }>()
  for (const [at, { block }] of pieces.entries()) {
    let [isArranged, isInList, cell]: [boolean, boolean, Element | null] = [false, false, null]
    for (const element of elementsAround(block)) {
      const kind = KINDS[element.name]
      if (kind === 'table') {
        if (isArranged && isTableBelow(block, element)) arranging.add(element)
        if (cell !== null && !isInList) {
          const known = cells.get(cell) ?? { pieces: 0, words: 0, table: element }
          known.pieces += 1
          known.words += counts[at] ?? 0
          cells.set(cell, known)
        }
        isInList = false
        cell = null
      } else if (kind !== undefined) {
        if (isArranged) arranging.add(element)
        if (cell === null) isInList = true
      }
      if (CELLS.has(element.name)) cell ??= element
      isArranged ||= ARRANGED.has(element.name)
    }
  }
  for (const { pieces: count, words, table } of cells.values())
    if (count > MAX_CELL_PIECES || (count > 1 && words > MAX_CELL_WORDS)) arranging.add(table)
  return arranging
}

function isTableBelow(block: Place, table: Element): boolean {
  for (const element of elementsAround(block)) {
    if (element === table) return false
    if (element.name === 'table' || element.name === 'article' || element.name === 'form') return true
  }
  return false
}

/** The elements at and above a place, from the inside out. */
export function* elementsAround(place: Place | null): Generator<Element> {
  for (let up: Place | null = place; up !== null; up = up.above) if (isElement(up.element)) yield up.element
}

function isElement(node: Element | Document): node is Element {
  return 'attribs' in node
}
