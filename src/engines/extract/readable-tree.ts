import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { textContent } from 'domutils'
import { parseTree } from './html-tree.ts'

/** Never text of a page. */
const UNREADABLE = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'head'])
/** Shorter ones ask for JavaScript or repeat an image; longer ones hold the page itself. */
const CONTENT_CHARS = 400

/** The tree of a page without what has nothing to read, but with what it says to those who run no scripts. */
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

/** A page that needs its scripts may say all of itself to those who run none. */
function isContentWithoutScripts(element: Element): boolean {
  return element.name === 'noscript' && textContent(element).trim().length >= CONTENT_CHARS
}
