import type { Element } from 'domhandler'
import { childrenOf, closest, parentOf, token } from '../tree/page-tree.ts'

/** Elements with one role each, by role. */
const SIMPLE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    article: 'article',
    blockquote: 'blockquote',
    button: 'button',
    caption: 'caption',
    code: 'code',
    definition: 'dd',
    deletion: 'del s',
    dialog: 'dialog',
    document: 'html',
    emphasis: 'em',
    figure: 'figure',
    form: 'form',
    generic: 'b bdi bdo body data div i pre q samp small span u',
    'graphics-document': 'svg',
    group: 'address details fieldset hgroup optgroup',
    heading: 'h1 h2 h3 h4 h5 h6',
    insertion: 'ins',
    list: 'menu ol ul',
    listbox: 'datalist',
    main: 'main',
    mark: 'mark',
    math: 'math',
    meter: 'meter',
    navigation: 'nav',
    option: 'option',
    paragraph: 'p',
    progressbar: 'progress',
    rowgroup: 'tbody tfoot thead',
    search: 'search',
    separator: 'hr',
    status: 'output',
    strong: 'strong',
    subscript: 'sub',
    superscript: 'sup',
    table: 'table',
    term: 'dfn dt',
    textbox: 'textarea',
    time: 'time',
  }).flatMap(([role, names]) => names.split(' ').map((name) => [name, role])),
)

const INPUTS: Readonly<Record<string, string | null>> = {
  button: 'button',
  checkbox: 'checkbox',
  image: 'button',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
  // HTML-AAM defines no role for these.
  color: null,
  date: null,
  'datetime-local': null,
  file: null,
  hidden: null,
  month: null,
  password: null,
  time: null,
  week: null,
}

const SECTIONS = ['article', 'aside', 'main', 'nav', 'section']
const LISTS = new Set(['ul', 'ol', 'menu'])
const GROUPS = new Set(['thead', 'tbody', 'tfoot'])

/** The implicit role of an element (HTML-AAM 1.0, section 4.1); null if it has none. */
export function nativeRole(element: Element): string | null {
  const { name, attribs } = element
  switch (name) {
    case 'a':
    case 'area':
      return attribs.href !== undefined || attribs['xlink:href'] !== undefined ? 'link' : 'generic'
    case 'aside':
      return 'complementary'
    case 'footer':
    case 'header': {
      const landmark = name === 'footer' ? 'contentinfo' : 'banner'
      return closest(element, ...SECTIONS) ? 'generic' : landmark
    }
    case 'img':
      return isMarkedEmpty(element) ? 'presentation' : 'img'
    case 'input':
      return inputRole(element)
    case 'li':
      return LISTS.has(parentOf(element)?.name ?? '') ? 'listitem' : 'generic'
    case 'section':
      return hasNamingAttribute(element) ? 'region' : 'generic'
    case 'select':
      return attribs.multiple !== undefined || Number(attribs.size ?? 1) > 1 ? 'listbox' : 'combobox'
    case 'td':
      return tableRole(element) === 'table' ? 'cell' : tableRole(element) === 'grid' ? 'gridcell' : null
    case 'th':
      return tableRole(element) === null ? null : headerRole(element)
    case 'tr':
      return tableRole(element) === null ? null : 'row'
    default:
      return SIMPLE.get(name) ?? null
  }
}

/** An image with an empty `alt` and no other name. */
function isMarkedEmpty({ attribs }: Element): boolean {
  const hasName = ['aria-label', 'aria-labelledby'].some((name) => (attribs[name] ?? '').trim() !== '')
  return attribs.alt === '' && !hasName
}

function hasNamingAttribute({ attribs }: Element): boolean {
  return ['aria-label', 'aria-labelledby', 'title'].some((name) => (attribs[name] ?? '').trim() !== '')
}

function inputRole(element: Element): string | null {
  const type = token(element, 'type')
  if (type in INPUTS) return INPUTS[type] ?? null
  return element.attribs.list === undefined ? 'textbox' : 'combobox'
}

/** Whether the enclosing table is exposed as a table, as a grid, or as neither. */
function tableRole(element: Element): 'table' | 'grid' | null {
  const table = closest(element, 'table')
  if (!table) return null
  const role = token(table, 'role')
  if (role === '' || role === 'table') return 'table'
  return role === 'grid' || role === 'treegrid' ? 'grid' : null
}

/** HTML Standard, section 4.9.12: by scope, otherwise by whether the header is above or next to data cells. */
function headerRole(element: Element): string {
  const scope = token(element, 'scope')
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader'
  if (scope === 'col' || scope === 'colgroup') return 'columnheader'
  const row = parentOf(element)
  const group = row && parentOf(row)
  if (group?.name === 'thead') return 'columnheader'
  const cells = row ? childrenOf(row) : []
  const isFirstRow = row && (GROUPS.has(group?.name ?? '') || group?.name === 'table') ? isFirst(row) : false
  return cells.some((cell) => cell.name === 'td') && !isFirstRow ? 'rowheader' : 'columnheader'
}

function isFirst(row: Element): boolean {
  const parent = parentOf(row)
  return parent !== null && childrenOf(parent).find(({ name }) => name === 'tr') === row
}
