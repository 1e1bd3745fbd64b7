import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import { isBlock } from '../document/read-blocks.ts'
import type { Surroundings } from '../extractors/surroundings.ts'
import { textOf } from '../html-tree.ts'
import type { Piece } from './split-pieces.ts'

export type Selection = {
  readonly pieces: readonly Piece[]
  /** For each piece, whether it is content. */
  readonly isKept: readonly boolean[]
  /** An image inside the main content needs content on one side only, any other image on both. */
  readonly surroundings: Surroundings
}

/** Table cells that are empty in the page are kept, to preserve the columns. */
const PLACES = new Set(['td', 'th'])

/** Removes all other pieces, and returns the number of images that it removed. */
export function removeOtherPieces(tree: Document, { pieces, isKept, surroundings }: Selection): number {
  const { root, aside } = surroundings
  const pieceOf = new Map(pieces.flatMap(({ nodes }, at) => nodes.map((node) => [node, at] as const)))
  let last = -1
  let images = 0
  const clean = (node: ChildNode | Document, isAround: boolean): boolean => {
    if (!('children' in node)) return false
    const isInside = (isAround || node === root) && !(isTag(node) && aside.has(node))
    let hasContent = false
    node.children = node.children.filter((child) => {
      const at = pieceOf.get(child)
      if (at !== undefined) {
        last = at
        hasContent ||= isKept[at] === true && textOf(child)?.trim() !== ''
        return isKept[at] === true
      }
      if (!isTag(child)) return false
      if (child.name === 'img') {
        const [before, after] = [isKept[last] ?? true, isKept[last + 1] ?? true]
        const isWanted = isInside ? before || after : before && after
        hasContent ||= isWanted
        if (!isWanted) images += 1
        return isWanted
      }
      if (getChildren(child).length === 0) return true
      const isPlace = PLACES.has(child.name) && textContent(child).trim() === ''
      if (isKept[last] === true && isSpace(child)) return true
      const isFull = clean(child, isInside)
      hasContent ||= isFull
      return isFull || isPlace
    })
    return hasContent
  }
  clean(tree, false)
  return images
}

/** White space in an element of its own separates words: `of<b>&nbsp;</b>$35`. */
function isSpace(element: Element): boolean {
  return !isBlock(element) && getChildren(element).every((child) => textOf(child)?.trim() === '')
}
