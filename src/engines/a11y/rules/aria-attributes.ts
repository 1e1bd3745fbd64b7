import type { Element } from 'domhandler'
import { ARIA_ATTRIBUTES, isAllowedValue } from '../aria/attribute-table.ts'
import { nativeRole } from '../aria/native-role.ts'
import { explicitRole, isPresentational } from '../aria/role.ts'
import { factsOf, isRole, type RoleFacts } from '../aria/role-table.ts'
import type { PageModel } from '../page-model.ts'
import { judgeEach, type Rule } from '../rule.ts'
import { token, wordsOf } from '../tree/page-tree.ts'

/** Elements without a role that take global attributes only (ARIA in HTML). */
const GLOBAL_ONLY = new Set([
  'audio',
  'video',
  'iframe',
  'embed',
  'object',
  'br',
  'picture',
  'label',
  'legend',
])
/** Fields without a role, on which what a text field takes is allowed (ARIA in HTML). */
const LIKE_TEXTBOX = factsOf('textbox')
const NAMING = new Set(['aria-label', 'aria-labelledby'])

function ariaAttributesOf(element: Element): readonly string[] {
  return Object.keys(element.attribs).filter((name) => name.startsWith('aria-'))
}

/** Roles without a name of their own; an author who names them is not heard. */
function faultOfAttributes(element: Element, page: PageModel): string {
  const role = page.roleOf(element)
  const facts = role === null && element.name === 'input' ? LIKE_TEXTBOX : factsOf(role)
  for (const name of ariaAttributesOf(element)) {
    const attribute = ARIA_ATTRIBUTES.get(name)
    if (!attribute) continue
    if (NAMING.has(name) && facts?.isNameProhibited && (element.attribs[name] ?? '').trim() !== '')
      return `${name} does not count on an element with the role ${role}.`
    if (attribute.isGlobal || (facts && supports(facts, name.slice('aria-'.length)))) continue
    if (facts || GLOBAL_ONLY.has(element.name)) {
      const what = role === null ? `a ${element.name} element without a role` : `the role ${role}`
      return `${name} is not supported by ${what}.`
    }
  }
  return ''
}

function supports({ supported = '', required = [] }: RoleFacts, name: string): boolean {
  return required.includes(name) || supported.split(' ').includes(name)
}

function faultOfValues({ attribs }: Element): string {
  for (const [name, value] of Object.entries(attribs)) {
    const attribute = ARIA_ATTRIBUTES.get(name)
    if (attribute && !isAllowedValue(attribute, value))
      return `${name}="${value.slice(0, 40)}" is no value that the attribute takes.`
  }
  return ''
}

/** What a role requires and neither the author nor HTML gives. */
function faultOfRequired(element: Element, page: PageModel): string {
  const role = explicitRole(element)
  const required = [...(factsOf(role)?.required ?? [])]
  // A separator that takes the focus is a widget with a position (WAI-ARIA 1.2).
  if (role === 'separator' && page.isFocusable(element)) required.push('valuenow')
  const missing = required.filter((name) => element.attribs[`aria-${name}`] === undefined)
  // Nothing to control while it is closed (WAI-ARIA 1.3).
  const isClosed = role === 'combobox' && token(element, 'aria-expanded') === 'false'
  const counted = isClosed ? missing.filter((name) => name !== 'controls') : missing
  return counted.length === 0
    ? ''
    : `The role ${role} requires ${counted.map((name) => `aria-${name}`).join(', ')}.`
}

/** Whether HTML itself gives the states that the role asks for. */
function hasNativeStates(element: Element, role: string): boolean {
  if (nativeRole(element) === role) return true
  return element.name === 'input' && ['checkbox', 'radio'].includes(token(element, 'type'))
}

export const ARIA_ATTRIBUTE_RULES: readonly Rule[] = [
  {
    id: 'aria-valid-attr',
    impact: 'critical',
    criteria: ['4.1.2'],
    act: ['5f99a7'],
    help: 'Attributes that begin with aria- exist',
    check: (page) =>
      judgeEach(
        page,
        (element) => ariaAttributesOf(element).length > 0,
        (element) => {
          const unknown = ariaAttributesOf(element).filter((name) => !ARIA_ATTRIBUTES.has(name))
          return unknown.length === 0 ? '' : `WAI-ARIA has no attribute ${unknown.join(', ')}.`
        },
      ),
  },
  {
    id: 'aria-valid-attr-value',
    impact: 'critical',
    criteria: ['4.1.2'],
    act: ['6a7281'],
    help: 'Values of ARIA attributes are ones that they take',
    check: (page) => judgeEach(page, (element) => ariaAttributesOf(element).length > 0, faultOfValues),
  },
  {
    id: 'aria-roles',
    impact: 'critical',
    criteria: ['4.1.2'],
    act: ['674b10'],
    help: 'Roles exist',
    check: (page) =>
      judgeEach(
        page,
        (element) => wordsOf(element, 'role').length > 0 && page.isExposed(element),
        (element) =>
          wordsOf(element, 'role').some((word) => isRole(word.toLowerCase()))
            ? ''
            : `"${(element.attribs.role ?? '').slice(0, 60)}" names no role of WAI-ARIA.`,
      ),
  },
  {
    id: 'aria-allowed-attr',
    impact: 'serious',
    criteria: ['4.1.2'],
    act: ['5c01ea'],
    help: 'ARIA attributes stand where they are supported',
    check: (page) =>
      judgeEach(
        page,
        (element) => ariaAttributesOf(element).length > 0 && page.isExposed(element),
        (element) => faultOfAttributes(element, page),
      ),
  },
  {
    id: 'aria-required-attr',
    impact: 'critical',
    criteria: ['4.1.2'],
    act: ['4e8ab6'],
    help: 'Roles have the attributes that they require',
    check: (page) =>
      judgeEach(
        page,
        (element) => {
          const role = explicitRole(element)
          if (role === null || isPresentational(role) || !page.isExposed(element)) return false
          return factsOf(role) !== null && !hasNativeStates(element, role)
        },
        (element) => faultOfRequired(element, page),
      ),
  },
]
