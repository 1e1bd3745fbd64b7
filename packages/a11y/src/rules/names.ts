import type { Element } from 'domhandler'
import { explicitRole } from '../aria/role.ts'
import { factsOf } from '../aria/role-table.ts'
import type { PageModel } from '../page-model.ts'
import { checkEach, type Rule } from '../rule.ts'
import { closest, parentOf, token } from '../tree/page-tree.ts'

type Applies = (element: Element, page: PageModel) => boolean

const GRAPHIC_ROLES = new Set(['img', 'image', 'graphics-document', 'graphics-symbol'])
const FIELD_ROLES = new Set(
  `checkbox combobox listbox menuitemcheckbox menuitemradio radio searchbox slider spinbutton switch textbox`.split(
    ' ',
  ),
)
/** Inputs that take a value but have no role. */
const ROLELESS_INPUTS = new Set([
  'password',
  'date',
  'datetime-local',
  'month',
  'time',
  'week',
  'color',
  'file',
])
const MEDIA_FILE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|ico|mp3|ogg|oga|wav|flac|m4a|mp4|webm|ogv|mov|avi)(?:[?#]|$)/i
const MEDIA_TYPE = /^(?:image|audio|video)\//i

/** A rule that requires a name on the elements that it applies to. */
function nameRule(
  options: Omit<Rule, 'check'> & { readonly applies: Applies; readonly message: string },
): Rule {
  const { applies, message, ...rule } = options
  return {
    ...rule,
    check: checkEach(
      (element, page) => page.isExposed(element) && applies(element, page),
      (element, page) => (page.nameOf(element) === '' ? message : ''),
    ),
  }
}

function isInSvg(element: Element): boolean {
  return element.name === 'svg' || closest(element, 'svg') !== null
}

/** Whether the image is exposed as an image, or under another role that requires a name. */
function isImage(element: Element, page: PageModel): boolean {
  if (element.name !== 'img') return false
  const role = page.roleOf(element)
  if (role === 'img') return true
  const facts = factsOf(role)
  return (
    facts?.kind === 'widget' || role === 'progressbar' || (role === 'separator' && page.isFocusable(element))
  )
}

/** An embedded HTML page describes itself; any other object needs a name. */
function isObject(element: Element, page: PageModel): boolean {
  const { data = '', type = '' } = element.attribs
  if (element.name !== 'object' || data === '') return false
  const explicit = explicitRole(element)
  const isOther = explicit !== null && explicit !== 'img' && !page.isFocusable(element)
  if (isOther && page.roleOf(element) === explicit) return false
  return MEDIA_FILE.test(data) || MEDIA_TYPE.test(type) || data.startsWith('data:')
}

function isField(element: Element, page: PageModel): boolean {
  if (element.name === 'img') return false
  const role = page.roleOf(element)
  if (role === null) return element.name === 'input' && ROLELESS_INPUTS.has(token(element, 'type'))
  return FIELD_ROLES.has(role)
}

function isButton(element: Element, page: PageModel): boolean {
  if (element.name === 'img' || token(element, 'type') === 'image') return false
  return page.roleOf(element) === 'button'
}

function isLink(element: Element, page: PageModel): boolean {
  const role = page.roleOf(element)
  const isKindOfLink =
    role === 'link' || (role !== null && /^doc-(?:biblioref|backlink|glossref|noteref)$/.test(role))
  return element.name !== 'area' && element.name !== 'img' && isKindOfLink
}

const hasRole =
  (...roles: readonly string[]): Applies =>
  (element, page) =>
    element.name !== 'img' && roles.includes(page.roleOf(element) ?? '')

export const NAME_RULES: readonly Rule[] = [
  nameRule({
    id: 'image-alt',
    impact: 'critical',
    criteria: ['1.1.1'],
    act: ['23a2a8'],
    help: 'Images must have a text alternative or be marked as decorative',
    applies: isImage,
    message: 'The image has no text alternative; add alt text, or alt="" if it is decorative.',
  }),
  nameRule({
    id: 'role-img-alt',
    impact: 'serious',
    criteria: ['1.1.1'],
    act: ['23a2a8'],
    help: 'Elements with role="img" must have a name',
    applies: (element, page) =>
      element.name !== 'img' &&
      !['object', 'input'].includes(element.name) &&
      !isInSvg(element) &&
      page.roleOf(element) === 'img',
    message: 'The element with role="img" has no name; add aria-label or aria-labelledby.',
  }),
  nameRule({
    id: 'svg-img-alt',
    impact: 'serious',
    criteria: ['1.1.1'],
    act: ['7d6734'],
    help: 'SVG images must have a name',
    applies: (element) => isInSvg(element) && GRAPHIC_ROLES.has(explicitRole(element) ?? ''),
    message: 'The SVG image has no name; add a title element as its first child, or aria-label.',
  }),
  nameRule({
    id: 'input-image-alt',
    impact: 'critical',
    criteria: ['1.1.1', '4.1.2'],
    act: ['59796f'],
    help: 'Image buttons must have a text alternative',
    applies: (element, page) =>
      element.name === 'input' &&
      token(element, 'type') === 'image' &&
      (page.isFocusable(element) || explicitRole(element) === null || page.roleOf(element) === 'img'),
    message: 'The image button has no text alternative that describes what it does.',
  }),
  nameRule({
    id: 'area-alt',
    impact: 'critical',
    criteria: ['2.4.4', '4.1.2'],
    act: ['c487ae'],
    help: 'Image map links must have a text alternative',
    applies: (element) => element.name === 'area' && element.attribs.href !== undefined,
    message: 'The area has no text alternative that describes its destination.',
  }),
  nameRule({
    id: 'object-alt',
    impact: 'serious',
    criteria: ['1.1.1'],
    act: ['8fc3b6'],
    help: 'Embedded images, audio and video must have a name',
    applies: isObject,
    message: 'The object has no name; its content does not count as a name.',
  }),
  nameRule({
    id: 'button-name',
    impact: 'critical',
    criteria: ['4.1.2'],
    act: ['97a4e1'],
    help: 'Buttons must have a name',
    applies: isButton,
    message: 'The button has no name.',
  }),
  nameRule({
    id: 'menuitem-name',
    impact: 'serious',
    criteria: ['4.1.2'],
    act: ['m6b1q3'],
    help: 'Menu items must have a name',
    applies: hasRole('menuitem'),
    message: 'The menu item has no name.',
  }),
  nameRule({
    id: 'link-name',
    impact: 'serious',
    criteria: ['2.4.4', '4.1.2'],
    act: ['c487ae'],
    help: 'Links must have a name',
    applies: isLink,
    message: 'The link has no name, so screen readers cannot announce its destination.',
  }),
  nameRule({
    id: 'label',
    impact: 'critical',
    criteria: ['4.1.2'],
    act: ['e086e5'],
    help: 'Form fields must have a name',
    applies: isField,
    message: 'The form field has no name; add a label.',
  }),
  nameRule({
    id: 'frame-title',
    impact: 'serious',
    criteria: ['4.1.2'],
    act: ['cae760'],
    help: 'Frames must have a name',
    applies: (element, page) =>
      ['iframe', 'frame'].includes(element.name) &&
      page.isTabbable(element) &&
      explicitRole(element) === null,
    message: 'The frame has no name; add a title.',
  }),
  nameRule({
    id: 'summary-name',
    impact: 'serious',
    criteria: ['4.1.2'],
    act: ['2t702h'],
    help: 'Summaries must have a name',
    applies: (element) => element.name === 'summary' && parentOf(element)?.name === 'details',
    message: 'The summary has no name.',
  }),
  nameRule({
    id: 'empty-heading',
    impact: 'minor',
    criteria: [],
    act: ['ffd0e9'],
    help: 'Headings must not be empty',
    applies: hasRole('heading'),
    message: 'The heading is empty for screen readers.',
  }),
  nameRule({
    id: 'aria-meter-name',
    impact: 'serious',
    criteria: ['1.1.1'],
    act: [],
    help: 'Meters and progress bars must have a name',
    applies: hasRole('meter', 'progressbar'),
    message: 'The meter or progress bar has no name.',
  }),
  nameRule({
    id: 'aria-tooltip-name',
    impact: 'serious',
    criteria: ['4.1.2'],
    act: [],
    help: 'Tooltips and tabs must have a name',
    applies: hasRole('tooltip', 'tab'),
    message: 'The element has no name.',
  }),
  nameRule({
    id: 'aria-dialog-name',
    impact: 'serious',
    criteria: [],
    act: [],
    help: 'Dialogs must have a name',
    applies: hasRole('dialog', 'alertdialog'),
    message: 'The dialog has no name.',
  }),
]
