import { type AnyNode, Element, isTag, Text } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import { hasOwnCharacters, readCharacters, readVariant } from './drawn-characters.ts'

/** Elements of MathML that MathJax draws as one element each. */
const MATH = new Set(
  'math mi mn mo mtext ms mspace mrow mstyle mpadded mphantom merror texatom mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts mtable mtr mlabeledtr mtd menclose maction semantics'.split(
    ' ',
  ),
)
const TOKENS = new Set(['mi', 'mn', 'mo', 'mtext', 'ms'])
/** Parts of what MathJax draws for one element, in its versions 2 to 4. */
const ROLES = new Set(
  'base over under script sup sub num den numerator denominator root surd labels line prescripts scripts ustrike dstrike hstrike'.split(
    ' ',
  ),
)

type Part = {
  readonly element: Element
  readonly kind: string /** Height above the line, of SVG. */
  readonly y: number
}

/** Reads the MathML that MathJax drew as HTML or SVG; null if an element does not hold it, or cannot be read. */
export function drawnToMath(drawn: Element): Element | null {
  const [root] = partsOf(drawn).filter(({ kind }) => kind === 'math')
  const math = root ? toMath('math', convertAll(partsOf(root.element))) : null
  return math && hasOwnCharacters(textContent(math)) ? null : math
}

function kindOf({ name, attribs }: Element): string {
  const node = attribs['data-mml-node']
  if (node !== undefined) return node.toLowerCase()
  if (name.startsWith('mjx-')) return name.slice(4)
  return /(?:^|\s)mjx-([a-z]+)(?:$|\s)/.exec(attribs.class ?? '')?.[1] ?? ''
}

/** The nearest elements and parts below an element, in order. */
function partsOf(node: Element, y = 0): Part[] {
  return getChildren(node)
    .filter(isTag)
    .flatMap((element) => {
      const kind = element.attribs['data-labels'] === undefined ? kindOf(element) : 'labels'
      const height = y + heightOf(element)
      return MATH.has(kind) || ROLES.has(kind) ? [{ element, kind, y: height }] : partsOf(element, height)
    })
}

function heightOf({ attribs }: Element): number {
  return Number(/translate\([^,)]*[, ]\s*(-?[\d.]+)/.exec(attribs.transform ?? '')?.[1] ?? 0)
}

function convertAll(parts: readonly Part[]): Element[] {
  return parts.map(convert)
}

function convert({ element, kind }: Part): Element {
  if (TOKENS.has(kind)) return toToken(element, kind)
  if (kind === 'mspace') return toMath(kind, [], spaceOf(element))
  const parts = partsOf(element)
  switch (kind) {
    case 'msub':
    case 'msup':
    case 'msubsup':
    case 'munder':
    case 'mover':
    case 'munderover':
      return toScripts(kind, parts)
    case 'mfrac':
      return toFraction(element, parts)
    case 'msqrt':
      return toMath('msqrt', convertAll(withoutSurd(parts)))
    case 'mroot':
      return toRoot(parts)
    case 'mmultiscripts':
      return toMultiscripts(parts)
    case 'mtable':
      return toTable(parts)
    case 'menclose':
      return toEnclosed(element, parts)
    case 'mtd':
      return toMath('mtd', convertAll(parts), { style: element.attribs.style ?? '' })
    default:
      return toMath(kind, convertAll(parts), { 'data-mjx-texclass': classOf(element) })
  }
}

function classOf({ attribs }: Element): string {
  return attribs['data-mjx-texclass'] ?? attribs.texclass ?? ''
}

function toToken(element: Element, kind: string): Element {
  const text = readCharacters(element)
  const variant = readVariant(element, text)
  const isUpright = kind === 'mi' && /^[a-z]$/i.test(text)
  const attributes =
    variant === '' && isUpright ? { mathvariant: 'normal' } : { ...(variant && { mathvariant: variant }) }
  return toMath(kind, [new Text(text)], attributes)
}

function spaceOf({ attribs }: Element): { width?: string } {
  const width = /(?:^|;|\s)width:\s*([\d.]+em)/.exec(attribs.style ?? '')?.[1]
  return width === undefined ? {} : { width }
}

const SCRIPTS: Readonly<Record<string, readonly ('below' | 'above')[]>> = {
  msub: ['below'],
  msup: ['above'],
  msubsup: ['above', 'below'],
  munder: ['below'],
  mover: ['above'],
  munderover: ['above', 'below'],
}

/** Indices, exponents, and what is above or below a base. */
function toScripts(kind: string, found: readonly Part[]): Element {
  const nested = found.find((part) => part.kind === 'munder')
  const isNested =
    kind === 'munderover' && nested && found.every((part) => part.kind === 'over' || part === nested)
  const parts =
    isNested && nested ? [...found.filter((part) => part !== nested), ...partsOf(nested.element)] : found
  const ofRole = (...roles: readonly string[]) => {
    const role = parts.find((part) => roles.includes(part.kind))
    return role && toGroup(convertAll(partsOf(role.element)))
  }
  const others = parts.filter(({ kind: other }) => MATH.has(other))
  const base = ofRole('base') ?? (others[0] ? convert(others[0]) : toGroup([]))
  let [above, below] = [ofRole('over', 'sup'), ofRole('under', 'sub')]
  const script = parts.find((part) => part.kind === 'script')
  const list = script ? partsOf(script.element) : others.slice(1).toSorted((one, other) => other.y - one.y)
  const sides = SCRIPTS[kind] ?? []
  if (!above && !below && sides.length === 2) [above, below] = list.map(convert)
  else if (!above && !below && list.length > 0) {
    const content = toGroup(convertAll(list))
    if (sides[0] === 'above') above = content
    else below = content
  }
  const isLimit = /^mu|^mo/.test(kind)
  if (above && below) return toMath(isLimit ? 'munderover' : 'msubsup', [base, below, above])
  if (above) return toMath(isLimit ? 'mover' : 'msup', [base, above])
  return below ? toMath(isLimit ? 'munder' : 'msub', [base, below]) : base
}

/** Indices and exponents on both sides: HTML has a list of rows for each side, SVG only places. */
function toMultiscripts(parts: readonly Part[]): Element {
  const at = parts.findIndex(({ kind, y }) => MATH.has(kind) && y === 0)
  const base = parts[at]
  const pair = (role: string, placed: readonly Part[]) => {
    const part = parts.find(({ kind }) => kind === role)
    const rows = part ? getChildren(part.element).filter((row): row is Element => isTag(row)) : []
    const group = (list: readonly Part[]) =>
      list.length === 0 ? toMath('none', []) : toGroup(convertAll(list))
    if (part === undefined)
      return [group(placed.filter(({ y }) => y < 0)), group(placed.filter(({ y }) => y > 0))]
    const [above, below] = [rows[0], rows.at(-1)].map((row) => group(row ? partsOf(row) : []))
    return [below ?? toMath('none', []), above ?? toMath('none', [])]
  }
  const placed = parts.filter(({ kind }) => MATH.has(kind))
  const middle = base ? placed.indexOf(base) : 0
  return toMath('mmultiscripts', [
    base ? convert(base) : toGroup([]),
    ...pair('scripts', placed.slice(middle + 1)),
    toMath('mprescripts', []),
    ...pair('prescripts', placed.slice(0, middle)),
  ])
}

function toFraction(element: Element, parts: readonly Part[]): Element {
  const role = (pattern: RegExp) => {
    const part = parts.find(({ kind }) => pattern.test(kind))
    return part && toGroup(convertAll(partsOf(part.element)))
  }
  const [first, second] = parts.filter(({ kind }) => MATH.has(kind)).map(convert)
  const [above, below] = [role(/^num/) ?? first ?? toGroup([]), role(/^den/) ?? second ?? toGroup([])]
  const hasLine =
    parts.some(({ kind }) => kind === 'line') ||
    getChildren(element).some((child) => isTag(child) && child.name === 'rect')
  return toMath('mfrac', [above, below], hasLine ? {} : { linethickness: '0' })
}

function withoutSurd(parts: readonly Part[]): Part[] {
  return parts.filter(
    ({ kind, element }) =>
      kind !== 'surd' && kind !== 'line' && !(kind === 'mo' && /^[√⎷]/.test(readCharacters(element))),
  )
}

function toRoot(parts: readonly Part[]): Element {
  const index = parts.find(({ kind }) => kind === 'root')
  const others = withoutSurd(parts).filter((part) => part !== index)
  if (index)
    return toMath('mroot', [toGroup(convertAll(others)), toGroup(convertAll(partsOf(index.element)))])
  // In SVG the index is the smaller part.
  const isSmall = ({ element }: Part) => /scale\(0?\.[0-6]/.test(element.attribs.transform ?? '')
  const small = others.findLast(isSmall) ?? others.at(-1)
  return toMath('mroot', [
    toGroup(convertAll(others.filter((part) => part !== small))),
    toGroup(small ? [convert(small)] : []),
  ])
}

/** Labels are drawn in a column of their own, with a row or a height for each. */
function toTable(parts: readonly Part[]): Element {
  const rows = parts.filter(({ kind }) => kind === 'mtr' || kind === 'mlabeledtr')
  const found = labelsOf(parts)
  const labels = found.map(({ element }) => textContent(toGroup(convertAll(partsOf(element)))).trim())
  const isByRow = found.every(({ kind }) => kind === 'mtr')
  let next = 0
  const written = rows.map((row, at) => {
    const cells = convertAll(partsOf(row.element))
    const hasLabel = isByRow ? (labels[at] ?? '') !== '' : row.kind === 'mlabeledtr'
    if (!hasLabel) return toMath('mtr', cells)
    const label = labels[isByRow ? at : next] ?? ''
    next += 1
    return label === ''
      ? toMath('mtr', cells)
      : toMath('mlabeledtr', [toMath('mtd', [new Text(label)]), ...cells])
  })
  return toMath('mtable', written)
}

function labelsOf(parts: readonly Part[]): readonly Part[] {
  const column = parts.find(({ kind }) => kind === 'labels')
  const found = column ? partsOf(column.element) : []
  return found.length === 1 && found[0]?.kind === 'labels' ? labelsOf(found) : found
}

const STRIKES: Readonly<Record<string, string>> = {
  ustrike: 'updiagonalstrike',
  dstrike: 'downdiagonalstrike',
  hstrike: 'horizontalstrike',
}

function toEnclosed(element: Element, parts: readonly Part[]): Element {
  const boxes = getChildren(element).filter(isTag)
  const lines = boxes.filter(({ name }) => name === 'line').map(strikeOf)
  const strikes = [...parts.flatMap(({ kind }) => STRIKES[kind] ?? []), ...lines]
  const isBoxed = boxes.some(
    ({ name, attribs }) => name === 'rect' || /border:\s*[\d.]/.test(attribs.style ?? ''),
  )
  const notation = [...strikes, ...(isBoxed ? ['box'] : [])].join(' ')
  return toMath('menclose', convertAll(parts.filter(({ kind }) => MATH.has(kind))), { notation })
}

/** The direction of a line in SVG that strikes its element out. */
function strikeOf({ attribs }: Element): string {
  const [from, to] = [Number(attribs.y1), Number(attribs.y2)]
  if (attribs.x1 === attribs.x2) return ''
  if (from === to) return 'horizontalstrike'
  return from < to ? 'updiagonalstrike' : 'downdiagonalstrike'
}

function toGroup(children: readonly Element[]): Element {
  const [only] = children
  return children.length === 1 && only ? only : toMath('mrow', children)
}

function toMath(
  name: string,
  children: readonly AnyNode[],
  attributes: Readonly<Record<string, string>> = {},
): Element {
  const element = new Element(name, { ...attributes }, [...children] as Element[])
  for (const child of element.children) child.parent = element
  return element
}
