import type { Element } from 'domhandler'
import { isInClosedDetails } from '../css/browser-defaults.ts'
import type { Style } from '../css/computed-style.ts'
import { toPixels } from '../css/length.ts'
import { parentOf, selfAndAncestors, token } from '../tree/page-tree.ts'

type StyleOf = (element: Element) => Style

/** Whether elements are rendered, visible and exposed; each result is cached. */
export type Presence = {
  /** It generates a box: neither it nor an ancestor is `display: none`. */
  readonly isRendered: (element: Element) => boolean
  /** Rendered, and not `visibility: hidden`. */
  readonly isShown: (element: Element) => boolean
  /** Exposed to screen readers. */
  readonly isExposed: (element: Element) => boolean
  /** Visible on screen: rendered, not transparent, and not moved or clipped away. */
  readonly isVisible: (element: Element) => boolean
  readonly isInert: (element: Element) => boolean
}

export function createPresence(styleOf: StyleOf): Presence {
  const isRendered = memoizeByElement((element, ofParent) => {
    if (styleOf(element).display === 'none' || isInClosedDetails(element)) return false
    return ofParent(true)
  })
  const isInert = memoizeByElement(
    (element, ofParent) => element.attribs.inert !== undefined || ofParent(false),
  )
  const isAriaHidden = memoizeByElement(
    (element, ofParent) => token(element, 'aria-hidden') === 'true' || ofParent(false),
  )
  const isOnScreen = memoizeByElement((element, ofParent) => !isOffscreen(element, styleOf) && ofParent(true))
  const isShown = (element: Element) => {
    const { visibility } = styleOf(element)
    return isRendered(element) && visibility !== 'hidden' && visibility !== 'collapse'
  }
  return {
    isRendered,
    isShown,
    isInert,
    isExposed: (element) => isShown(element) && !isAriaHidden(element) && !isInert(element),
    isVisible: (element) => isShown(element) && isOnScreen(element),
  }
}

function memoizeByElement(
  decide: (element: Element, ofParent: (atTop: boolean) => boolean) => boolean,
): (element: Element) => boolean {
  const cache = new WeakMap<Element, boolean>()
  const resolve = (element: Element): boolean => {
    const found = cache.get(element)
    if (found !== undefined) return found
    const parent = parentOf(element)
    const decision = decide(element, (atTop) => (parent ? resolve(parent) : atTop))
    cache.set(element, decision)
    return decision
  }
  return resolve
}

/** Beyond any screen; authors write -999em, -9999px and the like. */
const FAR_PX = 900
const FAR_SIDES = ['left', 'top', 'right', 'bottom'] as const

function isOffscreen(element: Element, styleOf: StyleOf): boolean {
  const style = styleOf(element)
  if (style.opacity === 0) return true
  const length = (property: string) =>
    toPixels(style.get(property), { em: style.fontSize, hundredPercent: null }) ?? 0
  const position = style.get('position')
  const isPositioned = position === 'absolute' || position === 'fixed'
  if (isPositioned && FAR_SIDES.some((side) => length(side) <= -FAR_PX)) return true
  if (position === 'relative' && (length('left') <= -FAR_PX || length('top') <= -FAR_PX)) return true
  if (length('margin-left') <= -FAR_PX || style.textIndent <= -FAR_PX) return true
  if (/translate[xy3d]*\([^)]*-9{3,}/i.test(style.get('transform'))) return true
  return isPositioned && isClipped(style)
}

/** The common ways to hide text visually only: `clip`, `clip-path`, a box of one pixel. */
function isClipped(style: Style): boolean {
  const clip = style.get('clip').replace(/[\s,]+/g, ' ')
  if (/^rect\((?: ?[01](?:px)?){4} ?\)$/.test(clip)) return true
  if (/^inset\((?:50|100)%/.test(style.get('clip-path'))) return true
  const isTiny = ['width', 'height'].every((side) => /^[01](?:px)?$/.test(style.get(side)))
  return isTiny && style.get('overflow-x') === 'hidden'
}

/** Whether the element or an ancestor disables it: its own `disabled` attribute or that of a fieldset. */
export function isDisabled(element: Element): boolean {
  for (const one of selfAndAncestors(element)) {
    if (one.attribs.disabled === undefined) continue
    if (one === element && DISABLEABLE.has(one.name)) return true
    if (one.name === 'fieldset' && DISABLEABLE.has(element.name)) return true
  }
  return false
}

const DISABLEABLE = new Set(['button', 'input', 'select', 'textarea', 'option', 'optgroup', 'fieldset'])
