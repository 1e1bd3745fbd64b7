import type { Element } from 'domhandler'
import { ARIA_ATTRIBUTES, isAllowedValue } from '../aria/attribute-table.ts'
import { nativeRole } from '../aria/native-role.ts'
import { explicitRole, isPresentational } from '../aria/role.ts'
import { factsOf, isRole, type RoleFacts } from '../aria/role-table.ts'
import type { PageModel } from '../page-model.ts'
import { checkEach, type Rule } from '../rule.ts'
import { token, wordsOf } from '../tree/page-tree.ts'

/** Elements that, without a role, allow global attributes only (ARIA in HTML). */
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
/** Fields without a role allow the attributes of a text field (ARIA in HTML). */
const LIKE_TEXTBOX = factsOf('textbox')
const NAMING = new Set(['aria-label', 'aria-labelledby'])

function ariaAttributesOf(element: Element): readonly string[] {
  return Object.keys(element.attribs).filter((name) => name.startsWith('aria-'))
}

/** Finds unsupported attributes, and names on roles that prohibit a name. */
function findAttributesIssue(element: Element, page: PageModel): string {
  const role = page.roleOf(element)
  const facts = role === null && element.name === 'input' ? LIKE_TEXTBOX : factsOf(role)
  for (const name of ariaAttributesOf(element)) {
    const attribute = ARIA_ATTRIBUTES.get(name)
    if (!attribute) continue
    if (NAMING.has(name) && facts?.isNameProhibited && (element.attribs[name] ?? '').trim() !== '')
      return `${name} is not allowed on an element with the role ${role}.`
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

function findValuesIssue({ attribs }: Element): string {
  for (const [name, value] of Object.entries(attribs)) {
    const attribute = ARIA_ATTRIBUTES.get(name)
    if (attribute && !isAllowedValue(attribute, value))
      return `${name}="${value.slice(0, 40)}" is not an allowed value of the attribute.`
  }
  return ''
}

/** Required attributes that neither the author nor HTML provides. */
function findRequiredIssue(element: Element, page: PageModel): string {
  const role = explicitRole(element)
  const required = [...(factsOf(role)?.required ?? [])]
  // A focusable separator is a widget with a position (WAI-ARIA 1.2).
  if (role === 'separator' && page.isFocusable(element)) required.push('valuenow')
  const missing = required.filter((name) => element.attribs[`aria-${name}`] === undefined)
  // A closed combobox controls nothing yet (WAI-ARIA 1.3).
  const isClosed = role === 'combobox' && token(element, 'aria-expanded') === 'false'
  const counted = isClosed ? missing.filter((name) => name !== 'controls') : missing
  return counted.length === 0
    ? ''
    : `The role ${role} requires ${counted.map((name) => `aria-${name}`).join(', ')}.`
}

/** Whether HTML itself provides the states that the role requires. */
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
    help: 'ARIA attributes must exist',
    check: checkEach(
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
    help: 'ARIA attributes must have allowed values',
    check: checkEach((element) => ariaAttributesOf(element).length > 0, findValuesIssue),
  },
  {
    id: 'aria-roles',
    impact: 'critical',
    criteria: ['4.1.2'],
    act: ['674b10'],
    help: 'Roles must exist',
    check: checkEach(
      (element, page) => wordsOf(element, 'role').length > 0 && page.isExposed(element),
      (element) =>
        wordsOf(element, 'role').some((word) => isRole(word.toLowerCase()))
          ? ''
          : `"${(element.attribs.role ?? '').slice(0, 60)}" contains no WAI-ARIA role.`,
    ),
  },
  {
    id: 'aria-allowed-attr',
    impact: 'serious',
    criteria: ['4.1.2'],
    act: ['5c01ea'],
    help: "ARIA attributes must be supported by the element's role",
    check: checkEach(
      (element, page) => ariaAttributesOf(element).length > 0 && page.isExposed(element),
      findAttributesIssue,
    ),
  },
  {
    id: 'aria-required-attr',
    impact: 'critical',
    criteria: ['4.1.2'],
    act: ['4e8ab6'],
    help: 'Elements with a role must have its required attributes',
    check: checkEach((element, page) => {
      const role = explicitRole(element)
      if (role === null || isPresentational(role) || !page.isExposed(element)) return false
      return factsOf(role) !== null && !hasNativeStates(element, role)
    }, findRequiredIssue),
  },
]
