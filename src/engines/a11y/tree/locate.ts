import { type Element, isTag } from 'domhandler'
import { type PageTree, parentOf } from './page-tree.ts'

/** Max length of a snippet; the start tag is the important part. */
const MAX_SNIPPET_LENGTH = 240
/** An id that needs no escaping in a selector. */
const PLAIN_ID = /^[A-Za-z_][\w-]*$/

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
