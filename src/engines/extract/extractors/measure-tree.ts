import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  type HtmlTree,
  isElement,
  textOf,
} from '../html-tree.ts'

/** How much text an element holds, in characters, white space as one. */
export type Size = { readonly chars: number; readonly linkChars: number }

export type Sizes = ReadonlyMap<HtmlNode | HtmlTree, Size>

/** Measures every element of a tree once. */
export function measureTree(tree: HtmlTree): Sizes {
  const sizes = new Map<HtmlNode | HtmlTree, Size>()
  const measure = (node: HtmlNode | HtmlTree): Size => {
    let [chars, linkChars] = [0, 0]
    for (const child of childrenOf(node)) {
      const size = isElement(child) ? measure(child) : sizeOfText(child)
      chars += size.chars
      linkChars += isElement(child) && child.name === 'a' ? size.chars : size.linkChars
    }
    const size = { chars, linkChars }
    sizes.set(node, size)
    return size
  }
  measure(tree)
  return sizes
}

function sizeOfText(node: HtmlNode): Size {
  const text = textOf(node)
  return text === null ? NOTHING : { chars: text.replace(/\s+/g, ' ').trim().length, linkChars: 0 }
}

const NOTHING: Size = { chars: 0, linkChars: 0 }

/** The share of an element's text that is links. */
export function linkShare({ chars, linkChars }: Size): number {
  return chars === 0 ? 0 : linkChars / chars
}

export function sizeIn(sizes: Sizes, element: HtmlElement | HtmlTree): Size {
  return sizes.get(element) ?? NOTHING
}
