import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import { isUnread } from '../document/read-inline.ts'
import { elementsBelow } from '../html-tree.ts'
import { countWords } from '../words.ts'
import {
  ASIDE_ELEMENTS,
  ASIDE_ROLES,
  isHidden,
  isNamedAside,
  isNamedComments,
  isNamedMain,
} from './boilerplate-marks.ts'
import { linkShare, type Sizes, sizeIn } from './measure-tree.ts'

/** An element that holds more of the text than this is the content, whatever it is called. */
const LARGE_SHARE = 0.4
/** A main element with less than this of the text is a wrapper of something else. */
const MAIN_SHARE = 0.2
/** A header that is links to more than this is navigation. */
const HEADER_LINK_SHARE = 0.3
/** Below this a form is for asking, above it is around the page. */
const FORM_SHARE = 0.3
/** What is left must be more than this, or the rules took the content for something else and fewer are tried. */
const MIN_WORDS = 30
const MIN_SHARE = 0.08

/** How much is believed of what elements are called, from all of it to nothing. */
const LEVELS = ['names', 'elements', 'least'] as const
type Level = (typeof LEVELS)[number]

/**
 * What stands around the content of a page: navigation, advertising, widgets. Unlike extractors that look for one
 * text, this leaves pages whole that are many pieces: threads, lists, shops.
 */
export type Surroundings = {
  /** The element that holds the content. */
  readonly root: Element | Document
  /** What is not content below it. */
  readonly aside: ReadonlySet<Element>
}

/** Finds what stands around the content, and changes nothing. */
export function findSurroundings(tree: Document, sizes: Sizes): Surroundings {
  const all = countWords(textContent(tree))
  let found: Surroundings = { root: tree, aside: new Set() }
  for (const level of LEVELS) {
    found = findAt(tree, level, sizes)
    if (countLeft(found) >= Math.max(MIN_WORDS, MIN_SHARE * all)) break
  }
  return found
}

function findAt(tree: Document, level: Level, sizes: Sizes): Surroundings {
  const body = elementsBelow(tree).find(({ name }) => name === 'body') ?? tree
  const root = level === 'least' ? body : findRoot(body, sizes)
  const aside = new Set<Element>()
  collectAside(root, { level, sizes, body, total: sizeIn(sizes, root).chars }, aside)
  return { root, aside }
}

function countLeft({ root, aside }: Surroundings): number {
  const textLeft = (node: ChildNode | Document): string => {
    const own = 'data' in node && node.type === 'text' ? node.data : ''
    if (isTag(node as ChildNode) && aside.has(node as Element)) return ''
    return own + getChildren(node).map(textLeft).join('')
  }
  return countWords(textLeft(root))
}

/** The largest element that is said to be the main one, if it is large; else the body. */
function findRoot(body: Element | Document, sizes: Sizes): Element | Document {
  const chars = (element: Element | Document) => sizeIn(sizes, element).chars
  let best: Element | null = null
  for (const element of elementsBelow(body))
    if (isNamedMain(element) && (best === null || chars(element) > chars(best))) best = element
  return best !== null && chars(best) > MAIN_SHARE * chars(body) ? best : body
}

type Scope = {
  readonly level: Level
  readonly sizes: Sizes
  readonly body: Element | Document
  /** Characters of the root. */
  readonly total: number
}

function collectAside(node: Element | Document, scope: Scope, aside: Set<Element>): void {
  for (const child of getChildren(node)) {
    if (!isTag(child)) continue
    if (isAside(child, scope) || (child.name === 'header' && node === scope.body)) aside.add(child)
    else collectAside(child, scope, aside)
  }
}

function isAside(element: Element, { level, sizes, total }: Scope): boolean {
  const { name, attribs } = element
  const size = sizeIn(sizes, element)
  const isLarge = size.chars > LARGE_SHARE * total
  if (name === 'button') return isUnread(element)
  if (ASIDE_ELEMENTS.has(name)) return !(name === 'aside' && isLarge)
  if (isHidden(element)) return level !== 'least'
  if (name === 'form') return size.chars < FORM_SHARE * total
  if (isLarge) return false
  if (ASIDE_ROLES.has(attribs.role ?? '')) return true
  if (name === 'header' && linkShare(size) > HEADER_LINK_SHARE) return true
  if (isNamedComments(element)) return true
  return level === 'names' && name !== 'main' && name !== 'article' && isNamedAside(element)
}
