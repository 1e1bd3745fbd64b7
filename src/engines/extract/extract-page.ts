import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { findOne, textContent } from 'domutils'
import { elementsBelow, parseTree } from './html-tree.ts'
import { guessPageType, type PageType } from './page-type.ts'
import { analysePage } from './pieces/analyse-page.ts'
import { choosePieces, findAround } from './pieces/choose-pieces.ts'
import { classifyPieces } from './pieces/classify-pieces.ts'
import { removeOtherPieces } from './pieces/remove-other-pieces.ts'
import type { Piece } from './pieces/split-pieces.ts'
import { type PageHead, readHead } from './read-head.ts'
import { type Selection, selectElements } from './select-elements.ts'

type Page = {
  readonly tree: Document
  readonly pageType: PageType
  readonly title: string
  readonly includeImages: boolean
}

const PRODUCT = /^https?:\/\/schema\.org\/Product$/

/** A price with a few words next to it, or a rating. */
const OFFER =
  /^\D{0,12}(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[€£¥]|kr\b)|[A-Z]{3}\s?\d+[.,]\d\d|\d+[.,]\d\d\s?[A-Z]{3})[^\d%]{0,6}$|^.{0,12}\d\s?(?:out of|\/)\s?5\b.{0,30}$/
/** More offers under one name are a list of products. */
const MAX_OFFERS = 3

export const EXTRACTORS = ['tollbook', 'whole-page', 'selectors'] as const

export type ExtractedPage = {
  readonly tree: Document
  /** The extractor that found the content. */
  readonly extractor: (typeof EXTRACTORS)[number]
  readonly head: PageHead
  readonly pageType: PageType
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
  const tree = toReadableTree(html)
  const declared = readHead(html, url)
  const head = { ...declared, title: declared.title ?? headingOf(tree) }
  const { selection } = options
  if (selection) selectElements(tree, selection)
  const pageType = guessPageType(tree, { types: head.types, path: new URL(url).pathname })
  if (selection && selection.include.length > 0) return { head, tree, extractor: 'selectors', pageType }
  if (!options.isMainOnly) return { head, tree, extractor: 'whole-page', pageType }
  const page = analysePage(tree, { url, head, pageType })
  const chosen = choosePieces(classifyPieces(page))
  if (!chosen.includes(true)) return { head, tree, extractor: 'whole-page', pageType }
  const isKept = keepCompanions(page.pieces, chosen, { ...page, ...options })
  removeOtherPieces(tree, { ...page, isKept })
  return { head, tree, extractor: 'tollbook', pageType }
}

/** The text of the first heading of level 1, the title of a page that declares none. */
function headingOf(tree: Document): string | null {
  const heading = findOne(({ name }) => name === 'h1', tree.children)
  return (heading && textContent(heading).replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_LENGTH)) || null
}

/** The tree of a page without unreadable elements, but with the content of noscript. */
export function toReadableTree(html: string): Document {
  const tree = parseTree(html)
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
  return tree
}

/** A page that depends on scripts may repeat all of its content in noscript. */
function isContentWithoutScripts(element: Element): boolean {
  return element.name === 'noscript' && textContent(element).trim().length >= CONTENT_CHARS
}

/**
 * Adds pieces that belong to the kept ones: captions and code listings between them, and on the page of a product its
 * name, rating and price above them.
 */
function keepCompanions(
  pieces: readonly Piece[],
  isKept: readonly boolean[],
  { tree, pageType, title, includeImages }: Page,
): boolean[] {
  const companions = includeImages ? ['pre', 'figcaption'] : ['pre']
  const isBetween = pieces.map(({ block }) => companions.some((name) => findAround(block, name) !== null))
  const body = [...pieces.keys()].filter((at) => !isBetween[at])
  const offered =
    pageType === 'product' || isOneProduct(tree) ? findOffer(pieces, isKept, title) : new Set<number>()
  let next = 0
  return isKept.map((kept, at) => {
    if (kept || offered.has(at)) return true
    if (!isBetween[at]) return false
    while (next < body.length && (body[next] ?? 0) < at) next += 1
    return [body[next - 1], body[next]].every((other) => other !== undefined && isKept[other] === true)
  })
}

/** Whether the markup declares one product; several are a list. */
function isOneProduct(tree: Document): boolean {
  return elementsBelow(tree).filter(({ attribs }) => PRODUCT.test(attribs.itemtype ?? '')).length === 1
}

/** The heading that names the product of the page, with the prices and ratings between it and the content. */
function findOffer(pieces: readonly Piece[], isKept: readonly boolean[], title: string): Set<number> {
  const name = pieces.findIndex(
    ({ block, text }) => findAround(block, 'h1') !== null && title.toLowerCase().includes(text.toLowerCase()),
  )
  const isOffer = (at: number) => pieces[at]?.links === 0 && OFFER.test(pieces[at].text)
  const content = isKept.findIndex((kept, at) => kept && at > name && !isOffer(at))
  if (name < 0 || content < 0) return new Set()
  const offers = [...isKept.keys()].slice(name + 1, content).filter(isOffer)
  return offers.length === 0 || offers.length > MAX_OFFERS ? new Set() : new Set([name, ...offers])
}
