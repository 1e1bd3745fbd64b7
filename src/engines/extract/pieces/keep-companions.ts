import type { Document } from 'domhandler'
import { elementsBelow } from '../html-tree.ts'
import type { PageType } from '../page-type.ts'
import { findAround } from './choose-pieces.ts'
import type { Piece } from './split-pieces.ts'

type Page = {
  readonly tree: Document
  readonly pageType: PageType
  readonly title: string
  readonly includeImages: boolean
}

/**
 * Adds pieces that belong to the kept ones: captions and code listings between them, and on the page of a product its
 * name, rating and price above them.
 */
export function keepCompanions(
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

const PRODUCT = /^https?:\/\/schema\.org\/Product$/
/** A price with a few words next to it, or a rating. */
const OFFER =
  /^\D{0,12}(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[€£¥]|kr\b)|[A-Z]{3}\s?\d+[.,]\d\d|\d+[.,]\d\d\s?[A-Z]{3})[^\d%]{0,6}$|^.{0,12}\d\s?(?:out of|\/)\s?5\b.{0,30}$/
/** More offers under one name are a list of products. */
const MAX_OFFERS = 3

/** The heading that names the product of the page, with the prices and ratings between it and the content. */
function findOffer(pieces: readonly Piece[], isKept: readonly boolean[], title: string): Set<number> {
  const name = pieces.findIndex(
    ({ block, text }) => findAround(block, 'h1') !== null && title.toLowerCase().includes(text.toLowerCase()),
  )
  const content = isKept.indexOf(true, name + 1)
  if (name < 0 || content < 0) return new Set()
  const between = [...isKept.keys()].slice(name + 1, content)
  const offers = between.filter((at) => pieces[at]?.links === 0 && OFFER.test(pieces[at].text))
  return offers.length === 0 || offers.length > MAX_OFFERS ? new Set() : new Set([name, ...offers])
}
