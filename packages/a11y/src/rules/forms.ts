import type { Element } from 'domhandler'
import { factsOf } from '../aria/role-table.ts'
import { isDisabled } from '../aria/visibility.ts'
import type { PageModel } from '../page-model.ts'
import { checkEach, type Rule } from '../rule.ts'
import { childrenOf, collapse, ownText, token, wordsOf } from '../tree/page-tree.ts'

/** HTML Standard, section 4.10.18.7.1: autofill field names. */
const PLAIN_FIELDS = new Set(
  `name honorific-prefix given-name additional-name family-name honorific-suffix nickname username new-password
   current-password one-time-code organization-title organization street-address address-line1 address-line2
   address-line3 address-level4 address-level3 address-level2 address-level1 country country-name postal-code cc-name
   cc-given-name cc-additional-name cc-family-name cc-number cc-exp cc-exp-month cc-exp-year cc-csc cc-type
   transaction-currency transaction-amount language bday bday-day bday-month bday-year sex url photo`.split(
    /\s+/,
  ),
)
/** Field names that allow a home, work, mobile, fax or pager prefix. */
const CONTACT_FIELDS = new Set(
  `tel tel-country-code tel-national tel-area-code tel-local tel-local-prefix tel-local-suffix tel-extension email
   impp`.split(/\s+/),
)
const PLACES = new Set(['home', 'work', 'mobile', 'fax', 'pager'])
const NO_TEXT_TYPES = new Set(['hidden', 'button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'file'])

/** Whether an `autocomplete` value follows the HTML Standard: section, address, contact, field, webauthn. */
export function isAutocomplete(value: string): boolean {
  const words = value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.at(-1) === 'webauthn') words.pop()
  if (words[0]?.startsWith('section-')) words.shift()
  if (words[0] === 'shipping' || words[0] === 'billing') words.shift()
  const isPlaced = PLACES.has(words[0] ?? '')
  if (isPlaced) words.shift()
  const [field = ''] = words
  return words.length === 1 && (CONTACT_FIELDS.has(field) || (!isPlaced && PLAIN_FIELDS.has(field)))
}

function isAutofilled(element: Element, page: PageModel): boolean {
  const words = wordsOf(element, 'autocomplete').map((word) => word.toLowerCase())
  if (words.length === 0 || (words.length === 1 && /^(?:on|off)$/.test(words[0] ?? ''))) return false
  if (!['input', 'select', 'textarea'].includes(element.name) || NO_TEXT_TYPES.has(token(element, 'type')))
    return false
  if (isDisabled(element) || token(element, 'aria-disabled') === 'true' || !page.isExposed(element))
    return false
  return factsOf(page.roleOf(element))?.kind === 'widget' || page.isTabbable(element)
}

/** Icon fonts: their letters are images. */
const ICON_FONT = /icon|awesome|glyph|symbol|dingbat|emoji/i

function visibleTexts(element: Element, page: PageModel): readonly string[] {
  if (!page.isVisible(element) || element.name === 'svg') return []
  const own = ICON_FONT.test(page.styleOf(element).fontFamily) ? '' : collapse(ownText(element))
  const isWord = own.length > 1 && /[\p{L}\p{N}]/u.test(own)
  return [...(isWord ? [own] : []), ...childrenOf(element).flatMap((child) => visibleTexts(child, page))]
}

function hasOwnLabel(element: Element, page: PageModel): boolean {
  const facts = factsOf(page.roleOf(element))
  if (facts?.kind !== 'widget' || !facts.isNamedByContent || !page.isExposed(element)) return false
  const isLabelled = ['aria-label', 'aria-labelledby'].some(
    (name) => (element.attribs[name] ?? '').trim() !== '',
  )
  return isLabelled && page.nameOf(element) !== '' && visibleTexts(element, page).length > 0
}

function findLabelIssue(element: Element, page: PageModel): string {
  const fold = (text: string) => collapse(text).toLowerCase()
  const name = fold(page.nameOf(element))
  const texts = visibleTexts(element, page).map(fold)
  if (name.includes(fold(texts.join(' '))) || texts.every((text) => name.includes(text))) return ''
  return `Its accessible name "${name.slice(0, 80)}" does not contain the visible text "${texts.join(' ').slice(0, 80)}".`
}

export const FORM_RULES: readonly Rule[] = [
  {
    id: 'autocomplete-valid',
    impact: 'serious',
    criteria: ['1.3.5'],
    act: ['73f2c2'],
    help: 'autocomplete must have a valid value',
    check: checkEach(isAutofilled, (element) => {
      const value = element.attribs.autocomplete ?? ''
      return isAutocomplete(value)
        ? ''
        : `"${value.slice(0, 60)}" is not an autocomplete value of the HTML Standard.`
    }),
  },
  {
    id: 'label-content-name-mismatch',
    impact: 'serious',
    criteria: ['2.5.3'],
    act: ['2ee8b8'],
    help: 'The name of a control must contain its visible text',
    check: checkEach(hasOwnLabel, findLabelIssue),
  },
]
