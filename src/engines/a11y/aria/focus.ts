import type { Element } from 'domhandler'
import { parentOf, token } from '../tree/page-tree.ts'
import { isDisabled, type Presence } from './visibility.ts'

const FIELDS = new Set(['button', 'input', 'select', 'textarea'])

/** Whether the element can hold the focus, natively or through `tabindex`. */
export function isFocusable(element: Element, presence: Presence): boolean {
  if (!presence.isShown(element) || presence.isInert(element) || isDisabled(element)) return false
  return tabIndexOf(element) !== null || isFocusableByItself(element)
}

/** Whether the tab key reaches the element. */
export function isTabbable(element: Element, presence: Presence): boolean {
  return isFocusable(element, presence) && (tabIndexOf(element) ?? 0) >= 0
}

/** Null if the attribute is absent or not a number. */
export function tabIndexOf(element: Element): number | null {
  const written = token(element, 'tabindex')
  return /^[+-]?\d+$/.test(written) ? Number(written) : null
}

function isFocusableByItself(element: Element): boolean {
  const { name, attribs } = element
  if (FIELDS.has(name)) return token(element, 'type') !== 'hidden'
  if (name === 'a' || name === 'area')
    return attribs.href !== undefined || attribs['xlink:href'] !== undefined
  if (name === 'iframe') return true
  if ((name === 'audio' || name === 'video') && attribs.controls !== undefined) return true
  if (name === 'summary') return parentOf(element)?.name === 'details'
  return attribs.contenteditable !== undefined && token(element, 'contenteditable') !== 'false'
}
