import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { findOne, textContent } from 'domutils'
import { markFormulas } from './formulas/mark-formulas.ts'
import { parseTree } from './html-tree.ts'
import { guessPageType, type PageType } from './page-type.ts'
import { analysePage } from './pieces/analyse-page.ts'
import { choosePieces } from './pieces/choose-pieces.ts'
import { classifyPieces } from './pieces/classify-pieces.ts'
import { countDropped, countUnread, type Dropped } from './pieces/count-dropped.ts'
import { findGroups } from './pieces/find-groups.ts'
import { keepStructure } from './pieces/keep-structure.ts'
import { removeOtherPieces } from './pieces/remove-other-pieces.ts'
import { type PageHead, readPageHead } from './read-head.ts'
import { type Selection, selectElements } from './select-elements.ts'

export const EXTRACTORS = ['tollbook', 'whole-page', 'selectors'] as const

export type ExtractedPage = {
  readonly tree: Document
  /** The extractor that found the content. */
  readonly extractor: (typeof EXTRACTORS)[number]
  readonly head: PageHead
  readonly pageType: PageType
  /** What was left out, or cannot be read; null if nothing was. */
  readonly dropped: Dropped | null
}

export type ExtractOptions = {
  /** Whether boilerplate around the content is dropped. */
  readonly isMainOnly: boolean
  /** Whether images are content; then so are their captions. */
  readonly includeImages: boolean
  /** The elements to which the page is reduced first. */
  readonly selection?: Selection
}

/** Elements whose text is never page content. */
const UNREADABLE = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'head'])
/** Shorter noscript content asks for JavaScript or repeats an image; longer content is the page itself. */
const CONTENT_CHARS = 400
const MAX_TITLE_LENGTH = 2_000

/** Extracts the content of a page, or returns the whole page. */
export function extractPage(html: string, url: string, options: ExtractOptions): ExtractedPage {
  const { tree, unreadFormulas: formulas } = readTree(html)
  const missing = countUnread(formulas)
  const { head: stated, declared } = readPageHead(html, url)
  const head = { ...stated, title: stated.title ?? headingOf(tree) }
  const { selection } = options
  if (selection) selectElements(tree, selection)
  const pageType = guessPageType(tree, { types: head.types, path: new URL(url).pathname })
  if (selection && selection.include.length > 0)
    return { head, tree, extractor: 'selectors', pageType, dropped: missing }
  if (!options.isMainOnly) return { head, tree, extractor: 'whole-page', pageType, dropped: missing }
  const { page, ...classified } = classifyPieces(analysePage(tree, { url, head, declared, pageType }))
  const groups = findGroups(page.pieces, page.counts)
  const chosen = choosePieces(classified, groups)
  if (!chosen.includes(true)) return { head, tree, extractor: 'whole-page', pageType, dropped: missing }
  const { probabilities } = classified
  const { includeImages } = options
  const isKept = keepStructure({ page, groups, probabilities, isKept: chosen, includeImages })
  const images = removeOtherPieces(tree, { ...page, isKept })
  return {
    head,
    tree,
    extractor: 'tollbook',
    pageType,
    dropped: countDropped(page, isKept, { images, formulas }),
  }
}

/** The text of the first heading of level 1, the title of a page that declares none. */
function headingOf(tree: Document): string | null {
  const heading = findOne(({ name }) => name === 'h1', tree.children)
  return (heading && textContent(heading).replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_LENGTH)) || null
}

/** The tree of a page without unreadable elements, but with the content of noscript. */
export function toReadableTree(html: string): Document {
  return readTree(html).tree
}

function readTree(html: string): { readonly tree: Document; readonly unreadFormulas: number } {
  const tree = parseTree(html)
  const unreadFormulas = markFormulas(tree)
  const clean = (node: ChildNode | Document) => {
    if (!('children' in node)) return
    node.children = node.children.filter((child) => {
      if (!isTag(child)) return child.type === 'text'
      if (isContentWithoutScripts(child)) child.name = 'div'
      if (UNREADABLE.has(child.name)) return false
      clean(child)
      return true
    })
  }
  clean(tree)
  return { tree, unreadFormulas }
}

/** A page that depends on scripts may repeat all of its content in noscript. */
function isContentWithoutScripts(element: Element): boolean {
  return element.name === 'noscript' && textContent(element).trim().length >= CONTENT_CHARS
}
