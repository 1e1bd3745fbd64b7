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

/** An element with more than this share of the text is content, whatever its name. */
const LARGE_SHARE = 0.4
/** A main element with less than this share of the text wraps something else. */
const MAIN_SHARE = 0.2
/** A header with more than this share of link text is navigation. */
const HEADER_LINK_SHARE = 0.3
/** A form with less than this share of the text is an input form; a larger one wraps the page. */
const FORM_SHARE = 0.3
/** If less than this is left, the rules removed the content, and a weaker level is tried. */
const MIN_WORDS = 30
const MIN_SHARE = 0.08

/** How far class names and element types are trusted, from both to neither. */
const LEVELS = ['names', 'elements', 'least'] as const
type Level = (typeof LEVELS)[number]

/**
 * The boilerplate around the content of a page: navigation, advertising, widgets. Unlike extractors that look
 * for a single text, this also preserves pages of many parts: threads, lists, shops.
 */
export type Surroundings = {
  /** The element that contains the content. */
  readonly root: Element | Document
  /** Boilerplate elements below it. */
  readonly aside: ReadonlySet<Element>
}

/** Finds the boilerplate; does not change the tree. */
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

/** The largest element marked as main, if it is large enough; else the body. */
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
