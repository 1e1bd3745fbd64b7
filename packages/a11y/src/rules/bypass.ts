import type { Element } from 'domhandler'
import { decode } from '../images/wording.ts'
import type { PageModel } from '../page-model.ts'
import { checkEach, fail, type Outcome, pass, type Rule, review } from '../rule.ts'
import { collapse, ownText, selfAndAncestors } from '../tree/page-tree.ts'

const REPEATED = new Set(['nav', 'aside', 'header', 'footer'])
const REPEATED_ROLES = new Set(['navigation', 'complementary', 'banner', 'contentinfo'])

/** Whether the element is in a block that repeats on every page of a site: navigation, aside, page header or footer. */
function isInRepeatedBlock(element: Element): boolean {
  for (const at of selfAndAncestors(element))
    if (REPEATED.has(at.name) || REPEATED_ROLES.has(at.attribs.role ?? '')) return true
  return false
}

/** Whether there are repeated blocks or links to other pages that a reader may want to skip. */
function hasSomethingToSkip({ elements }: PageModel): boolean {
  return elements.some((element) => isInRepeatedBlock(element) || isLinkElsewhere(element))
}

function isLinkElsewhere(element: Element): boolean {
  return element.name === 'a' && /^[^#]/.test(element.attribs.href ?? '')
}

function hasContentHeading(page: PageModel): boolean {
  return page.elements.some(
    (element) =>
      page.roleOf(element) === 'heading' &&
      page.isExposed(element) &&
      page.isVisible(element) &&
      !isInRepeatedBlock(element),
  )
}

function hasMain(page: PageModel): boolean {
  return page.elements.some((element) => page.roleOf(element) === 'main' && page.isExposed(element))
}

/** A shorter text may be a site name or a slogan above the navigation. */
const CONTENT_LETTERS = 40

/** Whether repeated blocks come before the content. */
function isContentPreceded(page: PageModel): boolean {
  for (const element of page.elements) {
    if (isInRepeatedBlock(element) || isLinkElsewhere(element)) return true
    if (collapse(ownText(element)).length >= CONTENT_LETTERS && page.isVisible(element)) return false
  }
  return false
}

function* checkBypass(page: PageModel): Generator<Outcome> {
  if (!isContentPreceded(page)) return
  const hasLink = page.elements.some((element) => {
    const target = fragmentOf(element)
    return target !== '' && page.tree.byId.has(target)
  })
  const hasHandler = page.elements.some((element) => element.attribs.onclick !== undefined)
  if (hasContentHeading(page) || hasMain(page) || hasLink || hasHandler) yield pass(page.tree.root)
  else {
    const message = 'There is no way to skip repeated content: no main element, no heading, no skip link.'
    const isScripted = page.elements.some((element) => element.name === 'script')
    yield isScripted || !page.hasAllStyles ? review(page.tree.root, message) : fail(page.tree.root, message)
  }
}

function fragmentOf(element: Element): string {
  const href = element.name === 'a' ? (element.attribs.href ?? '') : ''
  return href.startsWith('#') ? decode(href.slice(1)) : ''
}

export const BYPASS_RULES: readonly Rule[] = [
  {
    id: 'bypass',
    impact: 'serious',
    criteria: ['2.4.1'],
    act: ['cf77f2'],
    help: 'Readers must be able to skip repeated content',
    check: checkBypass,
  },
  {
    id: 'page-has-heading',
    impact: 'moderate',
    criteria: [],
    act: ['047fe0'],
    help: 'The content must have its own heading',
    check: function* (page) {
      if (!hasSomethingToSkip(page)) return
      const message = 'The page has no heading outside navigation and asides.'
      yield hasContentHeading(page) ? pass(page.tree.root) : fail(page.tree.root, message)
    },
  },
  {
    id: 'landmark-one-main',
    impact: 'moderate',
    criteria: [],
    act: ['b40fd1'],
    help: 'The content must be in a main element',
    check: function* (page) {
      if (!hasSomethingToSkip(page)) return
      yield hasMain(page) ? pass(page.tree.root) : fail(page.tree.root, 'The page has no main element.')
    },
  },
  {
    id: 'skip-link',
    impact: 'moderate',
    criteria: [],
    act: ['ye5d6e'],
    help: 'Links within the page must have a target',
    check: checkEach(
      (element, page) => /^(?!top$)./i.test(fragmentOf(element)) && page.isExposed(element),
      (element, page) => {
        const target = fragmentOf(element)
        const isThere =
          page.tree.byId.has(target) ||
          page.elements.some((one) => one.name === 'a' && one.attribs.name === target)
        return isThere ? '' : `No element has the id "${target.slice(0, 60)}".`
      },
    ),
  },
]
