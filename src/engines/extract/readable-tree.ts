import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { textContent } from 'domutils'
import { parseTree } from './html-tree.ts'

/** Elements whose text is never page content. */
const UNREADABLE = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'head'])
/** Shorter noscript content asks for JavaScript or repeats an image; longer content is the page itself. */
const CONTENT_CHARS = 400

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
