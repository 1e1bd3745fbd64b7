import type { Element } from 'domhandler'
import { wordsOf } from '../tree/page-tree.ts'
import { ARIA_ATTRIBUTES } from './attribute-table.ts'
import { isFocusable } from './focus.ts'
import { nativeRole } from './native-role.ts'
import { isRole } from './role-table.ts'
import type { Presence } from './visibility.ts'

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
