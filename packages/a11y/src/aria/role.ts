import type { Element } from 'domhandler'
import { parentOf, token, wordsOf } from '../tree/page-tree.ts'
import { ARIA_ATTRIBUTES } from './attribute-table.ts'
import { nativeRole } from './native-role.ts'
import { isRole } from './role-table.ts'
import { isDisabled, type Presence } from './visibility.ts'

const FIELDS = new Set(['button', 'input', 'select', 'textarea'])

/** The first valid role in the `role` attribute; null if there is none. */
export function explicitRole(element: Element): string | null {
  return (
    wordsOf(element, 'role')
      .map((word) => word.toLowerCase())
      .find(isRole) ?? null
  )
}

/**
 * The role that assistive technology sees: the explicit role, unless it would hide an element that must not
 * be hidden (WAI-ARIA 1.2, section 9.1, presentational roles conflict resolution), otherwise the implicit
 * HTML role.
 */
export function semanticRole(element: Element, presence: Presence): string | null {
  const explicit = explicitRole(element)
  if (explicit === null) {
    const native = nativeRole(element)
    // A focusable image with alt="" is exposed nevertheless.
    return native === 'presentation' && isFocusable(element, presence) ? 'img' : native
  }
  if (!isPresentational(explicit)) return explicit === 'image' ? 'img' : explicit
  if (isFocusable(element, presence) || hasGlobalAttribute(element)) {
    const native = nativeRole(element)
    return element.name === 'img' ? 'img' : native
  }
  return explicit
}

export function isPresentational(role: string | null): boolean {
  return role === 'none' || role === 'presentation'
}

/** `aria-hidden` is evaluated separately from roles. */
export function hasGlobalAttribute(element: Element): boolean {
  return Object.keys(element.attribs).some(
    (name) => name !== 'aria-hidden' && (ARIA_ATTRIBUTES.get(name)?.isGlobal ?? false),
  )
}

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
