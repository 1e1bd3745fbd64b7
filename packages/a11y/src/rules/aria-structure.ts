import type { Element } from 'domhandler'
import { explicitRole, hasGlobalAttribute, isPresentational } from '../aria/role.ts'
import { factsOf } from '../aria/role-table.ts'
import type { PageModel } from '../page-model.ts'
import { checkEach, fail, type Outcome, pass, type Rule, review } from '../rule.ts'
import { childrenOf, descendantsOf, parentOf, rawTextOf, textOf, token, wordsOf } from '../tree/page-tree.ts'

/** Roles without structural meaning: their children belong to the next element up. */
function isTransparent(role: string | null): boolean {
  return role === null || role === 'generic' || role === 'paragraph' || isPresentational(role)
}

/** The nearest owned elements with a role, by nesting and by `aria-owns`. */
function ownedBy(element: Element, page: PageModel, seen: Set<Element> = new Set()): readonly Element[] {
  if (seen.has(element)) return []
  seen.add(element)
  const referred = wordsOf(element, 'aria-owns').flatMap((id) => page.tree.byId.get(id)?.slice(0, 1) ?? [])
  return [...childrenOf(element), ...referred].flatMap((child) => {
    if (!page.isExposed(child)) return []
    return isTransparent(page.roleOf(child)) ? ownedBy(child, page, seen) : [child]
  })
}

function* checkOwned(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    const role = explicitRole(element)
    const allowed = factsOf(role)?.owned
    if (!allowed || !page.isExposed(element) || token(element, 'aria-busy') === 'true') continue
    const owned = ownedBy(element, page)
    const disallowed = findDisallowedRole(owned, allowed, page)
    if (disallowed !== null) {
      const message = `The role ${role} may own only ${allowed.join(', ')}, not ${disallowed}.`
      yield fail(element, message)
    } else if (owned.length > 0) yield pass(element)
    else {
      const message = `The role ${role} must own at least one of ${allowed.join(', ')}.`
      yield textOf(element) === ''
        ? review(element, `${message} It is currently empty.`)
        : fail(element, message)
    }
  }
}

/** The first role that is not allowed; a group may contain what its list may contain. */
function findDisallowedRole(
  owned: readonly Element[],
  allowed: readonly string[],
  page: PageModel,
  depth = 0,
): string | null {
  for (const one of owned) {
    const role = page.roleOf(one)
    if (role === null || !allowed.includes(role)) return role ?? one.name
    if (role === 'group' && depth < 5) {
      const within = findDisallowedRole(ownedBy(one, page), allowed, page, depth + 1)
      if (within !== null) return within
    }
  }
  return null
}

function* checkContext(page: PageModel): Generator<Outcome> {
  const owners = ownersOf(page)
  for (const element of page.elements) {
    const role = explicitRole(element)
    const context = factsOf(role)?.context
    if (!context || !page.isExposed(element)) continue
    const owner = contextOf(element, page, owners)
    const isRight = owner !== null && context.includes(page.roleOf(owner) ?? '')
    const message = `The role ${role} must be inside one of ${context.join(', ')}.`
    yield isRight ? pass(element) : fail(element, message)
  }
}

/** The owner of each element that an `aria-owns` refers to. */
function ownersOf(page: PageModel): ReadonlyMap<Element, Element> {
  const owners = new Map<Element, Element>()
  for (const element of page.elements)
    for (const id of wordsOf(element, 'aria-owns')) {
      const owned = page.tree.byId.get(id)?.[0]
      if (owned) owners.set(owned, element)
    }
  return owners
}

function contextOf(element: Element, page: PageModel, owners: ReadonlyMap<Element, Element>): Element | null {
  const seen = new Set<Element>()
  for (let at = owners.get(element) ?? parentOf(element); at && !seen.has(at); ) {
    seen.add(at)
    if (!isTransparent(page.roleOf(at)) || hasGlobalAttribute(at)) return at
    at = owners.get(at) ?? parentOf(at)
  }
  return null
}

/** Whether a script contains the element's id and the word focus: such an element may pass the focus on immediately. */
function movesFocus(element: Element, page: PageModel): boolean {
  const { id, onfocus } = element.attribs
  if (onfocus !== undefined) return true
  if (id === undefined || id === '') return false
  return page.elements.some((one) => {
    if (one.name !== 'script') return false
    const text = rawTextOf(one)
    return text.includes(id) && text.includes('focus')
  })
}

function* checkHiddenFocus(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    if (token(element, 'aria-hidden') !== 'true' || !page.isRendered(element)) continue
    const reached = [element, ...descendantsOf(element)].filter(page.isTabbable)
    const message = 'The tab key reaches content that is hidden from screen readers.'
    if (reached.length === 0) yield pass(element)
    else
      yield reached.every((one) => movesFocus(one, page))
        ? review(element, `${message} A script may move the focus on.`)
        : fail(element, message)
  }
}

/** Roles whose content is exposed as a single text; `svg` images are covered by their own role. */
function hasFlatRole(element: Element, page: PageModel): boolean {
  return page.isExposed(element) && (factsOf(page.roleOf(element))?.hasFlatChildren ?? false)
}

/** Marked as decorative by the author. */
function isMarkedDecorative(element: Element): boolean {
  const role = explicitRole(element)
  if (role !== null) return isPresentational(role)
  return element.name === 'img' && element.attribs.alt === ''
}

export const ARIA_STRUCTURE_RULES: readonly Rule[] = [
  {
    id: 'aria-required-children',
    impact: 'critical',
    criteria: ['1.3.1'],
    act: ['bc4a75'],
    help: 'Roles must own their required elements',
    check: checkOwned,
  },
  {
    id: 'aria-required-parent',
    impact: 'critical',
    criteria: ['1.3.1'],
    act: ['ff89c9'],
    help: 'Roles must be inside their required context',
    check: checkContext,
  },
  {
    id: 'aria-hidden-focus',
    impact: 'serious',
    criteria: ['4.1.2'],
    act: ['6cfa84'],
    help: 'Content hidden from screen readers must not be focusable',
    check: checkHiddenFocus,
  },
  {
    id: 'aria-hidden-body',
    impact: 'critical',
    criteria: ['1.3.1', '4.1.2'],
    act: [],
    help: 'The page as a whole must not be hidden from screen readers',
    check: checkEach(
      (element) => element.name === 'body',
      (element) =>
        token(element, 'aria-hidden') === 'true' ? 'aria-hidden on the body hides the whole page.' : '',
    ),
  },
  {
    id: 'nested-interactive',
    impact: 'serious',
    criteria: ['4.1.2'],
    act: ['307n5z'],
    help: 'Controls must not contain other controls',
    check: checkEach(hasFlatRole, (element, page) =>
      [...descendantsOf(element)].some(page.isTabbable)
        ? 'It contains a focusable element that screen readers do not announce.'
        : '',
    ),
  },
  {
    id: 'presentation-role-conflict',
    impact: 'minor',
    criteria: [],
    act: ['46ca7f'],
    help: 'Elements marked as decorative must be ignored by screen readers',
    check: checkEach(isMarkedDecorative, (element, page) =>
      page.isExposed(element) && !isPresentational(page.roleOf(element))
        ? 'It is marked as decorative, but is focusable or has a global ARIA attribute.'
        : '',
    ),
  },
  {
    id: 'tabindex',
    impact: 'serious',
    criteria: [],
    act: [],
    help: 'The tab order must follow the page',
    check: checkEach(
      (element, page) => element.attribs.tabindex !== undefined && page.isTabbable(element),
      (element) =>
        Number(token(element, 'tabindex')) > 0 ? 'A tabindex above 0 changes the tab order of the page.' : '',
    ),
  },
]
