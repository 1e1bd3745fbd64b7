import { type Document, type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import { measureTree, type Sizes, sizeIn } from './extractors/measure-tree.ts'
import { elementsBelow } from './html-tree.ts'

export const PAGE_TYPES = [
  'article',
  'documentation',
  'forum',
  'product',
  'collection',
  'listing',
  'service',
] as const

export type PageType = (typeof PAGE_TYPES)[number]

type Signs = {
  /** Types that the page declares, in lower case. */
  readonly types: readonly string[]
  /** Path of the page's URL. */
  readonly path: string
}

/** Guesses the page type from declared types, the path and repeated elements. */
export function guessPageType(tree: Document, { types, path }: Signs): PageType {
  const declared = DECLARED.find(([pattern]) => types.some((type) => pattern.test(type)))
  if (declared) return declared[1]
  const { paragraphs, codes, posts, prices, offers, siblings } = countParts(tree)
  // The thresholds below are quartiles of pages whose type people had labelled.
  if (posts >= 5 && THREAD_PATH.test(path)) return 'forum'
  if (posts >= 50 && paragraphs < 15) return 'forum'
  if (offers >= 4 && prices >= 1) return 'product'
  if (prices >= 10 && siblings >= 8) return 'collection'
  if (codes >= 3 || (DOCUMENT_PATH.test(path) && paragraphs >= 3)) return 'documentation'
  if (paragraphs >= 6) return 'article'
  return siblings >= 8 ? 'listing' : 'service'
}

/** From most to least specific: a product page may contain an article, and an article is inside a web page. */
const DECLARED: readonly (readonly [RegExp, PageType])[] = [
  [/^(?:discussionforumposting|qapage|question)$/, 'forum'],
  [/^(?:product|productgroup|og:product|product\.item)$/, 'product'],
  [/^(?:techarticle|apireference)$/, 'documentation'],
  [/^offercatalog$/, 'collection'],
  [/^(?:newsarticle|blogposting|reportagenewsarticle|report|recipe|review|article)$/, 'article'],
  [/^(?:itemlist|searchresultspage|collectionpage)$/, 'listing'],
]

const THREAD_PATH =
  /(?:^|[/_-])(?:forums?|threads?|showthread|viewtopic|topics?|t|questions|discussions?|boards?|comments)(?:[/._-]|$)/i
const DOCUMENT_PATH = /\/(?:docs?|documentation|reference|manual|handbook|wiki|api)(?:[/.]|$)/i

const POST = /(?:^|[\s_-])(?:post|comment|reply|message|answer|topic|thread|postbody|forum|discussion)/
const OFFER =
  /add-?to-?(?:cart|bag|basket)|buy-?now|product-?(?:form|price|info|detail|gallery)|schema\.org\/product/
const PRICE = /[$€£¥]\s?\d|\d[.,]\d\d\s?(?:€|EUR|USD|kr)/g
/** Shorter paragraphs are captions. */
const PARAGRAPH_CHARS = 80
const PIECES = new Set(['div', 'li', 'article', 'section', 'tr', 'a'])
/** Shorter elements are menu entries. */
const PIECE_CHARS = 25

function countParts(tree: Document) {
  const found = { paragraphs: 0, codes: 0, posts: 0, offers: 0, siblings: 0, prices: 0 }
  const sizes = measureTree(tree)
  found.prices = textContent(tree).match(PRICE)?.length ?? 0
  for (const element of elementsBelow(tree)) {
    const { name, attribs } = element
    const called = `${attribs.class ?? ''} ${attribs.id ?? ''} ${attribs.itemtype ?? ''}`.toLowerCase()
    if (POST.test(called)) found.posts += 1
    if (OFFER.test(called)) found.offers += 1
    if (name === 'pre') found.codes += 1
    if (name === 'p' && sizeIn(sizes, element).chars > PARAGRAPH_CHARS) found.paragraphs += 1
    found.siblings = Math.max(found.siblings, countAlike(element, sizes))
  }
  return found
}

/** The number of sibling elements with the same name and first class that have enough text. */
function countAlike(parent: Element, sizes: Sizes): number {
  const counts = new Map<string, number>()
  for (const child of getChildren(parent)) {
    if (!isTag(child) || !PIECES.has(child.name) || sizeIn(sizes, child).chars <= PIECE_CHARS) continue
    const kind = `${child.name}.${child.attribs.class?.trim().split(/\s+/, 1)[0] ?? ''}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  let max = 0
  for (const count of counts.values()) max = Math.max(max, count)
  return max
}
