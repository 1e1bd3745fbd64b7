import { parseDocument } from 'htmlparser2'

export type HtmlTree = ReturnType<typeof parseDocument>
export type HtmlNode = HtmlTree['children'][number]
export type HtmlElement = Extract<HtmlNode, { readonly attribs: unknown }>

/** Parses markup whose bounds `checkMarkup` has seen. */
export function parseTree(html: string): HtmlTree {
  return parseDocument(html)
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return 'attribs' in node
}

/** The text of a text node; null for any other. */
export function textOf(node: HtmlNode): string | null {
  return node.type === 'text' && 'data' in node ? node.data : null
}

export function childrenOf(node: HtmlNode | HtmlTree): readonly HtmlNode[] {
  return 'children' in node ? node.children : []
}

/** All text below a node, as it stands in the source. */
export function textBelow(node: HtmlNode | HtmlTree): string {
  const own = 'data' in node && node.type === 'text' ? node.data : ''
  return own + childrenOf(node).map(textBelow).join('')
}

/** Every element below a node, in document order. */
export function* elementsBelow(node: HtmlNode | HtmlTree): Generator<HtmlElement> {
  const open = [childrenOf(node).values()]
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { value, done } = level.next()
    if (done) open.pop()
    else if (isElement(value)) {
      yield value
      open.push(childrenOf(value).values())
    }
  }
}
