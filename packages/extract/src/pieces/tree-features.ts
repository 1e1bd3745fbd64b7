import { type Document, type Element, isTag } from 'domhandler'
import { getChildren } from 'domutils'
import { linkShare, sizeIn } from '../extractors/measure-tree.ts'
import { isProse } from './order-features.ts'
import type { FeatureGroup, PreparedPage } from './prepare-page.ts'
import type { Place } from './split-pieces.ts'

/** Number of ancestors with their own features. */
const LEVELS = 6
/** Fewer similar siblings are not a list. */
const MIN_ALIKE = 3
/** Number of ancestors whose names and classes make up the kind of a piece. */
const KIND_LEVELS = 3
/** Shares of the words of prose that the text of an article may have. */
const TEXT_SHARES = [0.4, 0.6, 0.8]

/** Features of a piece's position in the tree: its ancestors, and how often its kind repeats. */
export const treeFeatures: FeatureGroup = (view) => {
  const { pieces, sizes, chars } = view
  const prose = countProse(view)
  const allProse = Math.max(1, prose.get(view.tree) ?? 0)
  const kinds = countKinds(view)
  const alike = new AlikeElements(view)
  const texts = findTexts(view)
  return (at) => {
    const piece = pieces[at]
    if (piece === undefined) return []
    const row: number[] = [piece.place.depth]
    let up: Place | null = piece.block
    for (let level = 0; level < LEVELS; level += 1) {
      const element: Element | Document = up?.element ?? view.tree
      const size = sizeIn(sizes, element)
      row.push(size.chars / chars, linkShare(size), (prose.get(element) ?? 0) / allProse)
      up = up?.above ?? null
    }
    const kind = kinds[at]
    if (kind) {
      row.push(
        kind.pieces,
        kind.words / view.totalWords,
        kind.words / kind.pieces,
        kind.linkWords / Math.max(1, kind.words),
      )
      row.push(kind.inside / kind.pieces)
    }
    for (const text of texts) {
      const around = text === null ? null : findPlace(piece.block, text)
      const size = sizeIn(sizes, text ?? view.tree)
      row.push(around === null ? -1 : piece.block.depth - around.depth, size.chars / chars, linkShare(size))
    }
    return [...row, ...alike.around(piece.block), ...piece.place.distances]
  }
}

function countProse(view: PreparedPage): ReadonlyMap<Element | Document, number> {
  const found = new Map<Element | Document, number>()
  for (const [at, { block }] of view.pieces.entries())
    if (isProse(view, at))
      for (let place: Place | null = block; place !== null; place = place.above)
        found.set(place.element, (found.get(place.element) ?? 0) + 1)
  return found
}

/** For each of `TEXT_SHARES`, the deepest element with that share of the words of prose; null without prose. */
function findTexts(view: PreparedPage): readonly (Element | Document | null)[] {
  const found = new Map<Element | Document, { words: number; readonly depth: number }>()
  let all = 0
  for (const [at, { block }] of view.pieces.entries()) {
    if (!isProse(view, at)) continue
    const count = view.counts[at] ?? 0
    all += count
    for (let place: Place | null = block; place !== null; place = place.above) {
      const text = found.get(place.element) ?? { words: 0, depth: place.depth }
      text.words += count
      found.set(place.element, text)
    }
  }
  return TEXT_SHARES.map((share) => {
    let [deepest, depth]: [Element | Document | null, number] = [null, -1]
    for (const [element, text] of found)
      if (text.words >= share * all && text.depth > depth) [deepest, depth] = [element, text.depth]
    return deepest
  })
}

function findPlace(block: Place, element: Element | Document): Place | null {
  for (let place: Place | null = block; place !== null; place = place.above)
    if (place.element === element) return place
  return null
}

type Kind = { pieces: number; words: number; linkWords: number; inside: number }

/** For each piece, totals over all pieces whose ancestors have the same names and classes. */
function countKinds(view: PreparedPage): readonly Kind[] {
  const found = new Map<string, Kind>()
  return view.pieces.map(({ place }, at) => {
    let name = ''
    let up: Place | null = place
    for (let level = 0; level < KIND_LEVELS && up !== null; level += 1) {
      if ('attribs' in up.element) name += `${kindOf(up.element)}/`
      up = up.above
    }
    const kind = found.get(name) ?? { pieces: 0, words: 0, linkWords: 0, inside: 0 }
    const count = view.counts[at] ?? 0
    kind.pieces += 1
    kind.words += count
    kind.linkWords += count * (view.linkShares[at] ?? 0)
    kind.inside += Number(view.isInside[at])
    found.set(name, kind)
    return kind
  })
}

type Row = { count: number; chars: number; min: number }

/** Finds the nearest ancestor of a piece that is one of several similar siblings. */
class AlikeElements {
  readonly #view: PreparedPage
  readonly #rows = new Map<Element | Document, Map<string, Row>>()

  constructor(view: PreparedPage) {
    this.#view = view
  }

  /** Its number of similar siblings, its distance, and the mean and minimum of their characters. */
  around(block: Place): readonly number[] {
    let distance = 0
    for (let place = block; place.above !== null; place = place.above) {
      const { element } = place
      const row = 'attribs' in element ? this.#rowsIn(place.above.element).get(kindOf(element)) : undefined
      if (row && row.count >= MIN_ALIKE) return [row.count, distance, row.chars / row.count, row.min]
      distance += 1
    }
    return [0, -1, 0, 0]
  }

  #rowsIn(parent: Element | Document): ReadonlyMap<string, Row> {
    const known = this.#rows.get(parent)
    if (known) return known
    const rows = new Map<string, Row>()
    for (const child of getChildren(parent)) {
      const { chars } = isTag(child) ? sizeIn(this.#view.sizes, child) : { chars: 0 }
      if (!isTag(child) || chars === 0) continue
      const row = rows.get(kindOf(child)) ?? { count: 0, chars: 0, min: chars }
      row.count += 1
      row.chars += chars
      row.min = Math.min(row.min, chars)
      rows.set(kindOf(child), row)
    }
    this.#rows.set(parent, rows)
    return rows
  }
}

function kindOf({ name, attribs }: Element): string {
  return `${name}.${attribs.class?.trim().split(/\s+/, 1)[0] ?? ''}`
}
