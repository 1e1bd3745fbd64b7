import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { getChildren } from 'domutils'
import { textOf } from '../html-tree.ts'

/** Text size of an element in characters, with white space collapsed. */
export type Size = { readonly chars: number; readonly linkChars: number }

export type Sizes = ReadonlyMap<ChildNode | Document, Size>

/** Measures every element of a tree in one pass. */
export function measureTree(tree: Document): Sizes {
  const sizes = new Map<ChildNode | Document, Size>()
  const measure = (node: ChildNode | Document): Size => {
    let [chars, linkChars] = [0, 0]
    for (const child of getChildren(node)) {
      const size = isTag(child) ? measure(child) : sizeOfText(child)
      chars += size.chars
      linkChars += isTag(child) && child.name === 'a' ? size.chars : size.linkChars
    }
    const size = { chars, linkChars }
    sizes.set(node, size)
    return size
  }
  measure(tree)
  return sizes
}

function sizeOfText(node: ChildNode): Size {
  const text = textOf(node)
  return text === null ? NOTHING : { chars: text.replace(/\s+/g, ' ').trim().length, linkChars: 0 }
}

const NOTHING: Size = { chars: 0, linkChars: 0 }

/** The share of an element's text that is inside links, 0 to 1. */
export function linkShare({ chars, linkChars }: Size): number {
  return chars === 0 ? 0 : linkChars / chars
}

export function sizeIn(sizes: Sizes, element: Element | Document): Size {
  return sizes.get(element) ?? NOTHING
}
