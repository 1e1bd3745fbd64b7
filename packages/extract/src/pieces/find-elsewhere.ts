import type { Document, Element } from 'domhandler'
import { sizeIn } from '../extractors/measure-tree.ts'
import { wordsOf } from '../words.ts'
import { GROUPS } from './name-groups.ts'
import type { PreparedPage } from './prepare-page.ts'
import type { Place } from './split-pieces.ts'

/** Elements and names of what is not in the content, whatever the model says of its pieces. */
const ELEMENTS = ['nav', 'footer', 'hiding'].map((name) => GROUPS.indexOf(name))
const ELSEWHERE = [
  ...ELEMENTS,
  ...['related', 'navigation', 'foot', 'popular', 'consent'].map((name) => GROUPS.indexOf(name)),
]
/** An element with a larger share of the page contains the content, whatever its name. */
const MAX_SHARE = 0.25
/** Share of the words of a heading that the title has, if it is the heading of the page. */
const TITLE_SHARE = 0.5

/** For each piece, whether it is at the side of the content, or hidden. */
export function findElsewhere(page: PreparedPage): readonly boolean[] {
  return findIn(page, ELSEWHERE)
}

/** The same by elements alone: a name such as `anchor-nav` may be that of the content. */
export function findSides(page: PreparedPage): readonly boolean[] {
  return findIn(page, ELEMENTS)
}

function findIn(page: PreparedPage, groups: readonly number[]): readonly boolean[] {
  const around = new Set<Element | Document>()
  for (const at of page.levels.keys())
    if (isNamingPage(page, at))
      for (let up: Place | null = page.pieces[at]?.block ?? null; up !== null; up = up.above)
        around.add(up.element)
  const known = new Map<Element | Document, boolean>()
  const isElsewhere = (place: Place | null): boolean => {
    if (place === null) return false
    const found = known.get(place.element)
    if (found !== undefined) return found
    const is = isSide(place, { page, groups, around }) || isElsewhere(place.above)
    known.set(place.element, is)
    return is
  }
  return page.pieces.map(({ place }) => isElsewhere(place))
}

/** Whether a piece is a heading of level 1 with the words of the title. */
export function isNamingPage({ levels, words, title }: PreparedPage, at: number): boolean {
  const own = words[at] ?? []
  if (levels[at] !== 1 || own.length === 0) return false
  const wanted = new Set(wordsOf(title))
  return own.filter((word) => wanted.has(word)).length >= TITLE_SHARE * own.length
}

type Sides = {
  readonly page: PreparedPage
  readonly groups: readonly number[]
  readonly around: ReadonlySet<object>
}

function isSide(place: Place, { page, groups, around }: Sides): boolean {
  if (!groups.some((group) => place.distances[group] === 0)) return false
  return !around.has(place.element) && sizeIn(page.sizes, place.element).chars <= MAX_SHARE * page.chars
}
