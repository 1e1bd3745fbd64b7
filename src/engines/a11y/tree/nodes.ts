import type { parseDocument } from 'htmlparser2'

export type Document = ReturnType<typeof parseDocument>
export type ChildNode = Document['children'][number]
export type Element = Extract<ChildNode, { readonly attribs: object }>
type Text = Extract<ChildNode, { readonly type: 'text' }>
type AnyNode = ChildNode | NonNullable<ChildNode['parent']>

export function isElement(node: AnyNode): node is Element {
  return 'attribs' in node
}

export function isText(node: AnyNode): node is Text {
  return node.type === 'text'
}
