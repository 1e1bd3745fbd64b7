import { isUnread } from '../document/read-inline.ts'
import {
  childrenOf,
  elementsBelow,
  type HtmlElement,
  type HtmlTree,
  isElement,
  parseTree,
  textBelow,
} from '../html-tree.ts'
import { toReadableTree } from '../readable-tree.ts'
import { countWords } from '../words.ts'
import {
  ASIDE_ELEMENTS,
  ASIDE_ROLES,
  isHidden,
  isNamedAside,
  isNamedComments,
  isNamedMain,
} from './boilerplate-marks.ts'
import { linkShare, measureTree, type Sizes, sizeIn } from './measure-tree.ts'

/** An element that holds more of the text than this is the content, whatever it is called. */
const LARGE_SHARE = 0.4
/** A main element with less than this of the text is a wrapper of something else. */
const MAIN_SHARE = 0.2
/** A header that is links to more than this is navigation. */
const HEADER_LINK_SHARE = 0.3
/** Below this a form is for asking, above it is around the page. */
const FORM_SHARE = 0.3
/** What is left must be more than this, or the rules took the content for something else and fewer are tried. */
const LEAST_WORDS = 30
const LEAST_SHARE = 0.08

/** How much is believed of what elements are called, from all of it to nothing. */
const LEVELS = ['names', 'elements', 'least'] as const
type Level = (typeof LEVELS)[number]

/**
 * The page without what stands around its content: all of it that is not navigation, advertising or a widget.
 * Unlike extractors that look for one text, it keeps pages that are many pieces: threads, lists, shops.
 */
export function stripBoilerplate(html: string): HtmlElement | HtmlTree {
  let best: HtmlElement | HtmlTree = parseTree('')
  for (const level of LEVELS) {
    const tree = toReadableTree(html)
    const all = countWords(textBelow(tree))
    best = strip(tree, level)
    if (countWords(textBelow(best)) >= Math.max(LEAST_WORDS, LEAST_SHARE * all)) break
  }
  return best
}

function strip(tree: HtmlTree, level: Level): HtmlElement | HtmlTree {
  const sizes = measureTree(tree)
  const body = elementsBelow(tree).find(({ name }) => name === 'body') ?? tree
  const root = level === 'least' ? body : findRoot(body, sizes)
  stripBelow(root, { level, sizes, body, total: sizeIn(sizes, root).chars })
  return root
}

/** The largest element that is said to be the main one, if it is large; else the body. */
function findRoot(body: HtmlElement | HtmlTree, sizes: Sizes): HtmlElement | HtmlTree {
  const chars = (element: HtmlElement | HtmlTree) => sizeIn(sizes, element).chars
  let best: HtmlElement | null = null
  for (const element of elementsBelow(body))
    if (isNamedMain(element) && (best === null || chars(element) > chars(best))) best = element
  return best !== null && chars(best) > MAIN_SHARE * chars(body) ? best : body
}

type Scope = {
  readonly level: Level
  readonly sizes: Sizes
  readonly body: HtmlElement | HtmlTree
  /** Characters of the root. */
  readonly total: number
}

function stripBelow(node: HtmlElement | HtmlTree, scope: Scope): void {
  node.children = childrenOf(node).filter((child) => {
    if (!isElement(child)) return true
    if (isAside(child, scope) || (child.name === 'header' && node === scope.body)) return false
    stripBelow(child, scope)
    return true
  })
}

function isAside(element: HtmlElement, { level, sizes, total }: Scope): boolean {
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
