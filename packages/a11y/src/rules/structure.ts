import type { Element } from 'domhandler'
import { explicitRole } from '../aria/role.ts'
import type { PageModel } from '../page-model.ts'
import { checkEach, fail, type Outcome, pass, type Rule } from '../rule.ts'
import { childrenOf, collapse, ownText, parentOf, token, wordsOf } from '../tree/page-tree.ts'

const LISTS = new Set(['ul', 'ol', 'menu'])
/** Roles that a list may have (ARIA in HTML, section 4), and `list` itself. */
const LIST_ROLES = new Set(
  'list directory none presentation group listbox menu menubar radiogroup tablist toolbar tree'.split(' '),
)
const UNSEEN = new Set(['script', 'template', 'style', 'noscript'])
/** Attributes that refer to other elements by id. */
const REFERENCES = [
  'aria-labelledby',
  'aria-describedby',
  'aria-controls',
  'aria-owns',
  'aria-activedescendant',
  'aria-details',
  'aria-errormessage',
  'aria-flowto',
  'for',
  'headers',
]

function isPlain(element: Element): boolean {
  return element.attribs.role === undefined || token(element, 'role') === 'list'
}

function findListIssue(list: Element): string {
  if (collapse(ownText(list)) !== '') return 'The list contains text outside its items.'
  const disallowed = childrenOf(list).filter(
    (child) => child.name !== 'li' && !UNSEEN.has(child.name) && token(child, 'role') !== 'listitem',
  )
  const [first] = disallowed
  return first ? `The list contains a ${first.name} element outside its items.` : ''
}

function findDefinitionsIssue(list: Element): string {
  if (collapse(ownText(list)) !== '') return 'The list contains text outside its terms and definitions.'
  const disallowed = childrenOf(list).find(
    (child) => !['dt', 'dd', 'div'].includes(child.name) && !UNSEEN.has(child.name),
  )
  if (disallowed) return `The list contains a ${disallowed.name} element among its terms and definitions.`
  const items = childrenOf(list).flatMap((child) => (child.name === 'div' ? childrenOf(child) : [child]))
  const names = items.map(({ name }) => name).filter((name) => name === 'dt' || name === 'dd')
  const firstTerm = names.indexOf('dt')
  const isPaired = firstTerm >= 0 && names.includes('dd', firstTerm)
  // HTML Standard, section 4.4.9: terms, then their definitions; WCAG technique H40.
  return names.length === 0 || isPaired ? '' : 'The list has no term that is followed by a definition.'
}

function findItemIssue(item: Element): string {
  const parent = parentOf(item)
  const role = parent && explicitRole(parent)
  if (parent === null || !(LISTS.has(parent.name) || role === 'list')) return 'The item is not in a list.'
  return role === null || LIST_ROLES.has(role) ? '' : `The role ${role} makes its parent no list.`
}

function* checkIds({ elements, tree }: PageModel): Generator<Outcome> {
  const referred = new Set(elements.flatMap((one) => REFERENCES.flatMap((name) => wordsOf(one, name))))
  for (const [id, holders] of tree.byId) {
    if (!referred.has(id)) continue
    const [first] = holders
    if (first)
      yield holders.length === 1
        ? pass(first)
        : fail(first, `${holders.length} elements have the id "${id.slice(0, 60)}", which others refer to.`)
  }
}

function* checkAllIds({ tree }: PageModel): Generator<Outcome> {
  for (const [id, [first, ...others]] of tree.byId)
    if (first)
      yield others.length === 0
        ? pass(first)
        : fail(first, `${others.length + 1} elements have the id "${id.slice(0, 60)}".`)
}

function* checkHeadingOrder(page: PageModel): Generator<Outcome> {
  let last = 0
  for (const element of page.elements) {
    if (page.roleOf(element) !== 'heading' || !page.isExposed(element)) continue
    const level = Number(element.attribs['aria-level'] ?? element.name.slice(1)) || 2
    yield last > 0 && level > last + 1
      ? fail(element, `A heading of level ${level} follows one of level ${last}.`)
      : pass(element)
    last = level
  }
}

export const STRUCTURE_RULES: readonly Rule[] = [
  {
    id: 'list',
    impact: 'serious',
    criteria: ['1.3.1'],
    act: [],
    help: 'Lists must contain only items',
    check: checkEach(
      (element, page) => LISTS.has(element.name) && isPlain(element) && page.isExposed(element),
      findListIssue,
    ),
  },
  {
    id: 'listitem',
    impact: 'serious',
    criteria: ['1.3.1'],
    act: [],
    help: 'Items must be in lists',
    check: checkEach(
      (element, page) =>
        element.name === 'li' && element.attribs.role === undefined && page.isExposed(element),
      findItemIssue,
    ),
  },
  {
    id: 'definition-list',
    impact: 'serious',
    criteria: ['1.3.1'],
    act: [],
    help: 'Definition lists must contain only terms and definitions',
    check: checkEach(
      (element, page) => element.name === 'dl' && isPlain(element) && page.isExposed(element),
      findDefinitionsIssue,
    ),
  },
  {
    id: 'dlitem',
    impact: 'serious',
    criteria: ['1.3.1'],
    act: [],
    help: 'Terms and definitions must be in a definition list',
    check: checkEach(
      (element, page) =>
        (element.name === 'dt' || element.name === 'dd') &&
        element.attribs.role === undefined &&
        page.isExposed(element),
      (element) => {
        const parent = parentOf(element)
        const holder = parent?.name === 'div' ? parentOf(parent) : parent
        return holder?.name === 'dl' ? '' : 'It is not in a dl element.'
      },
    ),
  },
  {
    id: 'duplicate-id-aria',
    impact: 'critical',
    criteria: ['4.1.2'],
    act: ['3ea0c8'],
    help: 'Ids that others refer to must be unique',
    check: checkIds,
  },
  {
    id: 'duplicate-id',
    impact: 'minor',
    criteria: ['4.1.1'],
    act: ['3ea0c8'],
    help: 'Ids must be unique',
    check: checkAllIds,
  },
  {
    id: 'heading-order',
    impact: 'moderate',
    criteria: [],
    act: [],
    help: 'Heading levels must increase by one',
    check: checkHeadingOrder,
  },
  {
    id: 'moving-text',
    impact: 'serious',
    criteria: ['2.2.2'],
    act: [],
    help: 'Nothing may blink or move by itself',
    check: checkEach(
      (element, page) => (element.name === 'marquee' || element.name === 'blink') && page.isRendered(element),
      (element) => `A ${element.name} element moves, and readers cannot stop it.`,
    ),
  },
]
