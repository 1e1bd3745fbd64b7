import { type ChildNode, type Document, type Element, isText } from 'domhandler'
import { getElementsByTagName } from 'domutils'
import { parseDocument } from 'htmlparser2'
import { closeImplied } from './close-implied.ts'

/** Parses markup; call `checkMarkup` first to enforce the limits. */
export function parseTree(html: string): Document {
  const tree = parseDocument(html)
  closeImplied(tree)
  return tree
}

/** The text of a text node; null for any other node. */
export function textOf(node: ChildNode): string | null {
  return isText(node) ? node.data : null
}

/** All elements below a node, in document order. */
export function elementsBelow(node: Element | Document): Element[] {
  return getElementsByTagName('*', node.children)
}
