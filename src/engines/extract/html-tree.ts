import { type ChildNode, type Document, type Element, isText } from 'domhandler'
import { getElementsByTagName } from 'domutils'
import { parseDocument } from 'htmlparser2'

/** Parses markup whose bounds `checkMarkup` has seen. */
export function parseTree(html: string): Document {
  return parseDocument(html)
}

/** The text of a text node; null for any other. */
export function textOf(node: ChildNode): string | null {
  return isText(node) ? node.data : null
}

/** Every element below a node, in document order. */
export function elementsBelow(node: Element | Document): Element[] {
  return getElementsByTagName('*', node.children)
}
