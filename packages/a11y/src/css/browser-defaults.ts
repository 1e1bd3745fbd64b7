import type { Element } from 'domhandler'
import { childrenOf, closest, parentOf, token } from '../tree/page-tree.ts'

const NONE = new Set(
  'head script style template noscript title meta link base datalist param source track rp noframes'.split(
    ' ',
  ),
)
const BLOCK = new Set(
  `html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer
   form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup option p plaintext pre search
   section summary table tbody td tfoot th thead tr ul xmp caption`.split(/\s+/),
)
const INLINE_BLOCK = new Set(['button', 'input', 'meter', 'progress', 'select', 'textarea'])
const BOLD = new Set(['b', 'strong', 'th', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const SMALL_FIELDS = new Set(['button', 'input', 'select', 'textarea'])
/** HTML Standard, section 15.3: sizes in em of the parent's font. */
const SIZES: Readonly<Record<string, string>> = {
  h1: '2em',
  h2: '1.5em',
  h3: '1.17em',
  h5: '0.83em',
  h6: '0.67em',
  small: 'smaller',
  big: 'larger',
  sub: 'smaller',
  sup: 'smaller',
}
const SECTIONS = ['article', 'aside', 'nav', 'section']
const BUTTON_TYPES = new Set(['button', 'submit', 'reset'])

/**
 * The default value of a property in the browser's own style sheet (HTML Standard, section 15); empty if it
 * sets none.
 */
export function browserDefault(property: string, element: Element): string {
  const { name, attribs } = element
  switch (property) {
    case 'display':
      return displayOf(element)
    case 'font-weight':
      return BOLD.has(name) ? 'bold' : ''
    case 'font-size': {
      if (name === 'h1' && closest(element, ...SECTIONS)) return '1.5em'
      return SMALL_FIELDS.has(name) ? '13.3333px' : (SIZES[name] ?? '')
    }
    case 'color':
      if ((name === 'a' || name === 'area') && attribs.href !== undefined) return 'linktext'
      if (name === 'mark') return 'black'
      return name === 'font' || name === 'body'
        ? legacyColour(element)
        : SMALL_FIELDS.has(name)
          ? 'fieldtext'
          : ''
    case 'background-color':
      if (name === 'mark') return 'yellow'
      if (isButton(element)) return 'buttonface'
      if (SMALL_FIELDS.has(name)) return hasOwnFace(element) ? 'transparent' : 'field'
      return attribs.bgcolor ?? ''
    default:
      return ''
  }
}

function displayOf({ name, attribs }: Element): string {
  if (NONE.has(name)) return 'none'
  if (name === 'input' && attribs.type?.toLowerCase() === 'hidden') return 'none'
  if (attribs.hidden !== undefined) return 'none'
  if (name === 'dialog' && attribs.open === undefined) return 'none'
  if (name === 'audio' && attribs.controls === undefined) return 'none'
  if (name === 'desc' || name === 'metadata') return 'none'
  if (attribs.popover !== undefined) return 'none'
  if (INLINE_BLOCK.has(name)) return 'inline-block'
  return BLOCK.has(name) ? 'block' : 'inline'
}

function isButton(element: Element): boolean {
  return element.name === 'button' || (element.name === 'input' && BUTTON_TYPES.has(token(element, 'type')))
}

function hasOwnFace(element: Element): boolean {
  return ['checkbox', 'radio', 'range', 'image', 'color', 'file'].includes(token(element, 'type'))
}

function legacyColour(element: Element): string {
  if (element.name === 'font') return element.attribs.color ?? ''
  return element.attribs.text ?? ''
}

/** Whether it is content of a closed `details` element: every child except the first summary. */
export function isInClosedDetails(element: Element): boolean {
  const parent = parentOf(element)
  if (parent?.name !== 'details' || parent.attribs.open !== undefined) return false
  return element !== childrenOf(parent).find(({ name }) => name === 'summary')
}
