import { type ChildNode, type Document, type Element, isTag, isText } from 'domhandler'
import { parseDocument } from 'htmlparser2'

/** A parsed page, without content that is not presented: templates and fallbacks for disabled scripts. */
export type PageTree = {
  readonly html: string
  /** In document order. */
  readonly elements: readonly Element[]
  /** Elements by id, in document order; a valid page has at most one for each id. */
  readonly byId: ReadonlyMap<string, readonly Element[]>
  /** Labels by the id in their `for` attribute. */
  readonly labelsFor: ReadonlyMap<string, readonly Element[]>
  /** The `html` element; null if the page omits the tag. */
  readonly root: Element | null
  readonly document: Document
}

/** Their content is not part of the page; `noscript`, for example, since scripts run in the readers' browsers. */
const SKIPPED = new Set(['template', 'noscript', 'script', 'style', 'iframe', 'noembed', 'noframes'])

/** Max length of a snippet; the start tag is the important part. */
const MAX_SNIPPET_LENGTH = 240
/** An id that needs no escaping in a selector. */
const PLAIN_ID = /^[A-Za-z_][\w-]*$/

export function parsePage(html: string): PageTree {
  const document = parseDocument(html, { withStartIndices: true, withEndIndices: true })
  const elements: Element[] = []
  const byId = new Map<string, Element[]>()
  const labelsFor = new Map<string, Element[]>()
  const visit = (nodes: readonly ChildNode[]) => {
    for (const node of nodes) {
      if (!isTag(node)) continue
      elements.push(node)
      addToIndex(byId, node.attribs.id, node)
      if (node.name === 'label') addToIndex(labelsFor, node.attribs.for, node)
      if (!SKIPPED.has(node.name)) visit(node.children)
    }
  }
  visit(document.children)
  const root = elements.find((element) => element.name === 'html') ?? null
  return { html, elements, byId, labelsFor, root, document }
}

function addToIndex(index: Map<string, Element[]>, key: string | undefined, element: Element): void {
  if (key === undefined || key === '') return
  const existing = index.get(key)
  if (existing) existing.push(element)
  else index.set(key, [element])
}

export function parentOf(element: Element): Element | null {
  const { parent } = element
  return parent && isTag(parent) ? parent : null
}

/** The element itself, then its ancestors, innermost first. */
export function* selfAndAncestors(element: Element): Generator<Element> {
  for (let at: Element | null = element; at; at = parentOf(at)) yield at
}

/** Ancestors, innermost first. */
export function* ancestorsOf(element: Element): Generator<Element> {
  const parent = parentOf(element)
  if (parent) yield* selfAndAncestors(parent)
}

/** Whether its content is not part of the page, such as a script or a style sheet. */
export function isSkipped(element: Element): boolean {
  return SKIPPED.has(element.name)
}

export function childrenOf(element: Element): readonly Element[] {
  return SKIPPED.has(element.name) ? [] : element.children.filter(isTag)
}

/** In document order, without the element itself. */
export function* descendantsOf(element: Element): Generator<Element> {
  for (const child of childrenOf(element)) {
    yield child
    yield* descendantsOf(child)
  }
}

/** The nearest ancestor with one of these names. */
export function closest(element: Element, ...names: readonly string[]): Element | null {
  for (const ancestor of ancestorsOf(element)) if (names.includes(ancestor.name)) return ancestor
  return null
}

/** The text of its own text nodes, without its children's text. */
export function ownText(element: Element): string {
  if (SKIPPED.has(element.name)) return ''
  return element.children.map((child) => (isText(child) ? child.data : '')).join(' ')
}

/** All descendant text, hidden or not, with white space collapsed. */
export function textOf(element: Element): string {
  const pieces: string[] = []
  const visit = (at: Element) => {
    if (SKIPPED.has(at.name)) return
    for (const child of at.children) {
      if (isText(child)) pieces.push(child.data)
      else if (isTag(child)) visit(child)
    }
  }
  visit(element)
  return collapse(pieces.join(''))
}

export function collapse(text: string): string {
  return text.replace(/[\s\u00a0]+/g, ' ').trim()
}

/** The value of an attribute, trimmed and in lower case; empty if absent. */
export function token(element: Element, attribute: string): string {
  return element.attribs[attribute]?.trim().toLowerCase() ?? ''
}

export function wordsOf(element: Element, attribute: string): readonly string[] {
  return (element.attribs[attribute] ?? '').split(/\s+/).filter((word) => word !== '')
}

/** The text of a `style` or `script` element. */
export function rawTextOf(element: Element): string {
  return element.children.map((child) => (isText(child) ? child.data : '')).join('')
}

/** A CSS selector that finds the element in a browser, starting from the nearest unique id or the body. */
export function selectorOf(element: Element, { byId }: PageTree): string {
  const steps: string[] = []
  for (let at: Element | null = element; at; at = parentOf(at)) {
    const id = at.attribs.id
    if (id !== undefined && PLAIN_ID.test(id) && byId.get(id)?.length === 1) {
      steps.unshift(`#${id}`)
      break
    }
    steps.unshift(selectorStep(at))
    if (at.name === 'body' || at.name === 'html') break
    // Browsers insert a `tbody` that the markup omits.
    if (at.name === 'tr' && parentOf(at)?.name === 'table') steps.unshift('tbody')
  }
  return steps.join(' > ')
}

function selectorStep(element: Element): string {
  const siblings = (element.parent?.children ?? []).filter(
    (node): node is Element => isTag(node) && node.name === element.name,
  )
  const name = element.name.replaceAll(':', '\\:')
  return siblings.length > 1 ? `${name}:nth-of-type(${siblings.indexOf(element) + 1})` : name
}

/** The markup of the element as written on the page, truncated. */
export function snippetOf(element: Element, { html }: PageTree): string {
  const { startIndex, endIndex } = element
  if (startIndex === null || endIndex === null) return `<${element.name}>`
  const text = html.slice(startIndex, Math.min(endIndex + 1, startIndex + MAX_SNIPPET_LENGTH * 2))
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length > MAX_SNIPPET_LENGTH ? `${flat.slice(0, MAX_SNIPPET_LENGTH)}…` : flat
}
