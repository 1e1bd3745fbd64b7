import { type Element, isTag } from 'domhandler'
import { getChildren } from 'domutils'

/** Writes an element of MathML as TeX. */
export type WriteMath = (node: Element) => string

/** The elements below an element that are part of the formula. */
export function partsOf(node: Element): Element[] {
  return getChildren(node)
    .filter(isTag)
    .filter(({ name }) => !name.startsWith('annotation') && name !== 'mprescripts' && name !== 'none')
}

/** The innermost element of groups with one member. */
export function unwrap(node: Element): Element {
  const parts = GROUPS.has(node.name) ? partsOf(node).filter(({ name }) => name !== 'mspace') : []
  return parts.length === 1 && parts[0] ? unwrap(parts[0]) : node
}

const GROUPS = new Set(['math', 'semantics', 'mrow', 'mstyle', 'mpadded', 'texatom'])

/** A fraction without a line. */
export function isStack(node: Element): boolean {
  return node.name === 'mfrac' && /^0(?:\.0*)?(?:p[xt]|e[mx])?$/.test(node.attribs.linethickness ?? '')
}
