import { isUnread } from '@tollbook/extract/document/read-inline'
import { elementsBelow, textOf } from '@tollbook/extract/html-tree'
import { type Document, type Element, isTag } from 'domhandler'
import { getChildren } from 'domutils'

export const KINDS = [
  'list',
  'table',
  'definition list',
  'heading',
  'price',
  'code',
  'quote',
  'caption',
  'footnote',
  'comment',
] as const
export type Kind = (typeof KINDS)[number]

/** An element of a page whose parts belong together, each as plain text. */
export type StructuredElement = {
  readonly kind: Kind
  readonly parts: readonly string[]
  /** The cells of a table that have text. */
  readonly cells: readonly string[]
}

/** Letters and digits in lower case: what is left of a text in any notation. */
export function toPlain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** The readable text of an element, without controls. */
export function readText(node: Element | Document): string {
  return getChildren(node)
    .map((child) => {
      const text = textOf(child)
      if (text !== null) return text
      return isTag(child) && !isUnread(child) ? ` ${readText(child)} ` : ''
    })
    .join('')
}

/** The structured elements of a page. Elements with formulas are counted by their formulas. */
export function findElements(tree: Document): StructuredElement[] {
  return elementsBelow(tree).flatMap((element) => {
    const kind = kindOf(element)
    if (kind === null || elementsBelow(element).some(({ name }) => name === 'math')) return []
    const toTexts = (elements: readonly Element[]) =>
      elements.map((part) => toPlain(readText(part))).filter((part) => part !== '')
    const parts = toTexts(partsOf(element, kind))
    const isCell = ({ name }: Element) => name === 'td' || name === 'th'
    const cells = kind === 'table' ? toTexts(elementsBelow(element).filter(isCell)) : []
    const min = kind === 'list' || kind === 'table' || kind === 'definition list' ? 2 : 1
    return parts.length < min ? [] : [{ kind, parts, cells }]
  })
}

const PRICE = /(?:^|[\s_-])price(?:$|[\s_-])/i
const AMOUNT = /(?:[$€£¥]|[A-Z]{3})\s?\d|\d\s?(?:[$€£¥]|kr\b|[A-Z]{3}\b)/
const FOOTNOTE = /^(?:fn|footnote|cite_note|ftnt?)[-_:]?\w*\d/i
const COMMENT = /(?:^|\s)(?:comment[-_](?:body|content|text)|commtext|usertext-body)(?:$|\s)/i

function kindOf(element: Element): Kind | null {
  const { name, attribs } = element
  if (name === 'ul' || name === 'ol') return 'list'
  if (name === 'table') return holds(element, 'table') ? null : 'table'
  if (name === 'dl') return 'definition list'
  if (/^h[1-6]$/.test(name)) return 'heading'
  if (name === 'pre') return 'code'
  if (name === 'blockquote') return 'quote'
  if (name === 'figcaption') return 'caption'
  if (FOOTNOTE.test(attribs.id ?? '') && (name === 'li' || name === 'div' || name === 'p')) return 'footnote'
  if (COMMENT.test(attribs.class ?? '')) return 'comment'
  const isPrice = PRICE.test(attribs.class ?? '') || attribs.itemprop === 'price'
  return isPrice && AMOUNT.test(readText(element)) && getChildren(element).length < 6 ? 'price' : null
}

/** Items of a list, rows of a table, terms and their definitions; else the element itself. */
function partsOf(element: Element, kind: Kind): Element[] {
  if (kind === 'list')
    return getChildren(element).filter((child): child is Element => isTag(child) && child.name === 'li')
  if (kind === 'table') return elementsBelow(element).filter(({ name }) => name === 'tr')
  if (kind === 'definition list')
    return elementsBelow(element).filter(({ name }) => name === 'dt' || name === 'dd')
  return [element]
}

function holds(element: Element, name: string): boolean {
  return elementsBelow(element).some((other) => other.name === name)
}
