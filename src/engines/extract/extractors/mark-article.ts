import { Readability } from '@mozilla/readability'
import { type ChildNode, type Element, isTag, type Document as Tree } from 'domhandler'
import { getChildren } from 'domutils'
import { parseHTML } from 'linkedom'
import { textOf } from '../html-tree.ts'

export type MarkedArticle = {
  /** The elements that Readability keeps. */
  readonly taken: ReadonlySet<Element>
  readonly byline: string | null
}

type ReadabilityArticle = {
  /** Markup of the article; empty if none was found. */
  readonly html: string
  readonly byline: string | null
}

type Document = ConstructorParameters<typeof Readability>[0]

const MARK = 'data-at'
/** Void elements (HTML Standard, 13.1.2). */
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
/** The attributes that Readability reads; every other one would cost it time. */
const READ = ['class', 'id', 'role', 'rel', 'itemprop', 'style', 'hidden', 'aria-hidden', 'aria-modal']

/** Beyond this Readability takes seconds; one page in a thousand is larger. */
const MAX_ELEMENTS = 20_000

/** Finds the elements of a tree that Readability keeps as the article; null if the page is too large. */
export function markArticle(tree: Tree, title: string): MarkedArticle | null {
  const elements: Element[] = []
  const body = write(tree, elements)
  if (elements.length > MAX_ELEMENTS) return null
  const { html, byline } = extractByReadability(
    `<html><head><title>${replaceMarkup(title)}</title></head>${body}</html>`,
  )
  const taken = new Set<Element>()
  for (const [, at] of html.matchAll(TAKEN)) {
    const element = elements[Number(at)]
    if (element) taken.add(element)
  }
  return { taken, byline: byline && restoreMarkup(byline) }
}

const TAKEN = new RegExp(` ${MARK}="(\\d+)"`, 'g')

/** Serializes a tree; each element is marked with its index in the list. */
function write(node: ChildNode | Document, elements: Element[]): string {
  if (!('attribs' in node)) {
    const text = 'data' in node ? textOf(node) : null
    return text === null ? writeChildren(node, elements) : replaceMarkup(text)
  }
  const { name } = node
  if (name === 'html' || !/^[a-z][a-z0-9-]*$/.test(name)) return writeChildren(node, elements)
  elements.push(node)
  const open = `<${name}${writeAttributes(node)} ${MARK}="${elements.length - 1}">`
  return VOID.has(name) ? open : `${open}${writeChildren(node, elements)}</${name}>`
}

function writeChildren(node: ChildNode | Document, elements: Element[]): string {
  return getChildren(node)
    .filter((child) => isTag(child) || textOf(child) !== null)
    .map((child) => write(child, elements))
    .join('')
}

function writeAttributes({ name, attribs }: Element): string {
  let written = ''
  for (const key of READ) {
    const value = attribs[key]
    if (value !== undefined) written += ` ${key}="${value.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"`
  }
  // Readability only checks whether a link stays on the page, and drops images without a source.
  if (name === 'a' && attribs.href !== undefined)
    written += attribs.href.startsWith('#') ? ' href="#a"' : ' href="a"'
  if (name === 'img') written += ' src="a.png"'
  return written
}

/** Stand-ins of `&` and `<` in texts, of the private use area. */
const [AMPERSAND, LESS] = ['\ue0ff', '\ue0fe']

/**
 * Replaces the characters that begin markup. References such as `&amp;` would not do: linkedom makes a node of each
 * one, and a page of 4 MB of `&` would need gigabytes.
 */
function replaceMarkup(text: string): string {
  return text.replaceAll('&', AMPERSAND).replaceAll('<', LESS)
}

function restoreMarkup(text: string): string {
  return text.replaceAll(AMPERSAND, '&').replaceAll(LESS, '<')
}

/** Extracts the article with Mozilla's Readability, which works best on pages with a single text. */
export function extractByReadability(html: string): ReadabilityArticle {
  try {
    // Classes carry the language of code.
    const article = new Readability(toDocument(html), { keepClasses: true }).parse()
    return { html: article?.content ?? '', byline: article?.byline?.replace(/\s+/g, ' ').trim() || null }
  } catch {
    // Readability throws on some malformed markup, such as a missing body; other extractors take over.
    return { html: '', byline: null }
  }
}

/** Parses a linkedom document: enough of the DOM for Readability, and the page's scripts do not run. */
export function toDocument(html: string): Document {
  // linkedom's types depend on TypeScript's DOM library, which this project does not include.
  return (parseHTML(html) as unknown as { readonly document: Document }).document
}
