import type { Document, Element } from 'domhandler'
import { elementsBelow } from '../html-tree.ts'
import { elementsAround } from './find-groups.ts'
import type { Piece } from './split-pieces.ts'

const CURRENCY = '[$€£¥₹₽₪₩]|\\bR\\$|zł|kr\\b|Kč|лв|руб|р\\.|Ft\\b|lei\\b|TL\\b|\\b[A-Z]{3}\\b'
const NUMBER = "\\d{1,3}(?:[.,\\u00a0\\u202f ']\\d{3})+(?:[.,]\\d{1,2})?|\\d+(?:[.,]\\d{1,2})?"
const AMOUNTS = new RegExp(`(${CURRENCY})?\\s{0,2}(${NUMBER})(?![\\d%])\\s{0,2}(${CURRENCY})?`, 'g')
/** A longer text mentions a price. */
const MAX_CHARS = 80
const PRICE = /(?:^|[\s_-])prices?(?:$|[\s_-])|price$/i

/** Prices in a text; without a currency next to it, only a number with two decimals is one. */
export function amountsIn(text: string): readonly number[] {
  return [...text.matchAll(AMOUNTS)]
    .filter(([, before, number, after]) => before ?? after ?? /[.,]\d\d$/.test(number ?? ''))
    .map(([, , number]) => toNumber(number ?? ''))
}

/** A point or comma with one or two digits after it is the decimal one. */
function toNumber(text: string): number {
  const [, whole = text, decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(text) ?? []
  return Number(`${whole.replace(/\D/g, '')}.${decimals || '0'}`)
}

/** The pieces that are a price, or a part of an element that is named as one. */
export function findPrices(
  pieces: readonly Piece[],
  isElsewhere: readonly boolean[],
): ReadonlyMap<number, readonly number[]> {
  const parts = new Map<Element, number[]>()
  const found = new Map<number, readonly number[]>()
  for (const [at, piece] of pieces.entries()) {
    if (isElsewhere[at]) continue
    const named = outermostPrice(piece)
    const amounts = piece.text.length <= MAX_CHARS ? amountsIn(piece.text) : []
    if (amounts.length > 0 && (named !== null || piece.links === 0)) found.set(at, amounts)
    if (named === null) continue
    const members = parts.get(named)
    if (members) members.push(at)
    else parts.set(named, [at])
  }
  for (const members of parts.values()) {
    const text = members.map((at) => pieces[at]?.text ?? '').join('')
    if (members.length < 2 || text.length > MAX_CHARS) continue
    const amounts = amountsIn(text)
    if (amounts.length > 0) for (const at of members) found.set(at, amounts)
  }
  return found
}

function outermostPrice({ place }: Piece): Element | null {
  let found: Element | null = null
  let height = 0
  for (const element of elementsAround(place)) {
    const { attribs } = element
    if (PRICE.test(attribs.class ?? '') || attribs.itemprop === 'price') found = element
    height += 1
    if (height > 6) break
  }
  return found
}

/** The prices that the markup declares, without the tags of the head. */
export function readMicrodataPrices(tree: Document): number[] {
  return elementsBelow(tree)
    .filter(({ attribs }) => attribs.itemprop === 'price' && attribs.content !== undefined)
    .map(({ attribs }) => Number(attribs.content))
    .filter((price) => Number.isFinite(price) && price > 0)
}
