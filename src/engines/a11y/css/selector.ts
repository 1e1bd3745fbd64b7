import type { AttributeSelector, CssNode, Nth, PseudoClassSelector, Selector, SelectorList } from 'css-tree'
import { type Element, isElement, isText } from '../tree/nodes.ts'
import { parentOf } from '../tree/page-tree.ts'

type Test = (element: Element) => boolean

/** A selector ready to be asked; what depends on a pointer, on focus or on generated boxes never matches. */
export type CompiledSelector = {
  /** Ids, classes and types as one number that orders as specificity does (Selectors 4, section 17). */
  readonly specificity: number
  /** What the rightmost part asks for at least: `#id`, `.class`, a tag name, or `*`. */
  readonly key: string
  readonly matches: Test
}

const [ID_WEIGHT, CLASS_WEIGHT] = [1_000_000, 1_000]

/** Null for a selector that can match no element of a page at rest. */
export function compileSelector(selector: Selector): CompiledSelector | null {
  const nodes = selector.children.toArray()
  const compounds: { combinator: string; nodes: CssNode[] }[] = [{ combinator: '', nodes: [] }]
  for (const node of nodes) {
    if (node.type === 'Combinator') compounds.push({ combinator: node.name.trim() || ' ', nodes: [] })
    else compounds.at(-1)?.nodes.push(node)
  }
  const tests: { combinator: string; test: Test }[] = []
  for (const compound of compounds) {
    const parts = compound.nodes.map(compilePart)
    if (parts.some((part) => part === null)) return null
    const test: Test = (element) => parts.every((part) => part?.(element) ?? false)
    tests.push({ combinator: compound.combinator, test })
  }
  const matches: Test = (element) => matchFrom(tests, tests.length - 1, element)
  return { specificity: specificityOf(nodes), key: keyOf(compounds.at(-1)?.nodes ?? []), matches }
}

function matchFrom(
  tests: readonly { readonly combinator: string; readonly test: Test }[],
  at: number,
  element: Element,
): boolean {
  const step = tests[at]
  if (!step?.test(element)) return false
  if (at === 0) return true
  switch (step.combinator) {
    case '>': {
      const parent = parentOf(element)
      return parent !== null && matchFrom(tests, at - 1, parent)
    }
    case '+': {
      const previous = previousOf(element)
      return previous !== null && matchFrom(tests, at - 1, previous)
    }
    case '~':
      for (let one = previousOf(element); one; one = previousOf(one))
        if (matchFrom(tests, at - 1, one)) return true
      return false
    case ' ':
      for (let parent = parentOf(element); parent; parent = parentOf(parent))
        if (matchFrom(tests, at - 1, parent)) return true
      return false
    default:
      return false
  }
}

function compilePart(node: CssNode): Test | null {
  switch (node.type) {
    case 'TypeSelector': {
      const name = (node.name.split('|').at(-1) ?? '').toLowerCase()
      return name === '*' ? () => true : (element) => element.name === name
    }
    case 'IdSelector':
      return (element) => element.attribs.id === node.name
    case 'ClassSelector':
      return (element) => hasClass(element.attribs.class, node.name)
    case 'AttributeSelector':
      return compileAttribute(node)
    case 'PseudoClassSelector':
      return compilePseudo(node)
    default:
      return null
  }
}

function compileAttribute(node: AttributeSelector): Test {
  const name = node.name.name.toLowerCase()
  const raw = node.value === null ? null : node.value.type === 'String' ? node.value.value : node.value.name
  if (raw === null) return (element) => element.attribs[name] !== undefined
  const isLoose = node.flags?.toLowerCase() === 'i' || name === 'type'
  const fold = (text: string) => (isLoose ? text.toLowerCase() : text)
  const wanted = fold(raw)
  const compare = (value: string): boolean => {
    switch (node.matcher) {
      case '=':
        return value === wanted
      case '~=':
        return value.split(/\s+/).includes(wanted)
      case '|=':
        return value === wanted || value.startsWith(`${wanted}-`)
      case '^=':
        return wanted !== '' && value.startsWith(wanted)
      case '$=':
        return wanted !== '' && value.endsWith(wanted)
      case '*=':
        return wanted !== '' && value.includes(wanted)
      default:
        return false
    }
  }
  return (element) => element.attribs[name] !== undefined && compare(fold(element.attribs[name] ?? ''))
}

const STATES: Readonly<Record<string, Test>> = {
  root: (element) => element.name === 'html',
  scope: (element) => element.name === 'html',
  link: (element) => isLink(element),
  'any-link': (element) => isLink(element),
  empty: (element) =>
    !element.children.some((child) => isElement(child) || (isText(child) && child.data !== '')),
  checked: (element) => 'checked' in element.attribs || 'selected' in element.attribs,
  disabled: (element) => 'disabled' in element.attribs,
  enabled: (element) => FIELDS.has(element.name) && !('disabled' in element.attribs),
  required: (element) => 'required' in element.attribs,
  optional: (element) => FIELDS.has(element.name) && !('required' in element.attribs),
  'first-child': (element) => previousOf(element) === null,
  'last-child': (element) => nextOf(element) === null,
  'only-child': (element) => previousOf(element) === null && nextOf(element) === null,
  'first-of-type': (element) => typeSiblingsOf(element)[0] === element,
  'last-of-type': (element) => typeSiblingsOf(element).at(-1) === element,
  'only-of-type': (element) => typeSiblingsOf(element).length === 1,
}
const FIELDS = new Set(['input', 'select', 'textarea', 'button', 'option', 'fieldset'])

function compilePseudo(node: PseudoClassSelector): Test | null {
  const name = node.name.toLowerCase()
  const state = STATES[name]
  if (state) return state
  const inside = node.children?.first ?? null
  if (name.startsWith('nth-') && inside?.type === 'Nth') return compileNth(name, inside)
  if (inside?.type !== 'SelectorList') return null
  const any = compileAny(inside)
  if (['is', 'where', 'matches', '-webkit-any', '-moz-any'].includes(name)) return any
  // What cannot match is what `:not` lets through.
  return name === 'not' ? (element) => !any(element) : null
}

function compileAny(list: SelectorList): Test {
  const compiled = list.children
    .toArray()
    .map((one) => (one.type === 'Selector' ? compileSelector(one) : null))
  return (element) => compiled.some((one) => one?.matches(element) ?? false)
}

function compileNth(name: string, { nth, selector }: Nth): Test | null {
  if (selector) return null
  const [a, b] = stepsOf(nth)
  const isOfType = name.endsWith('of-type')
  const isLast = name.startsWith('nth-last')
  return (element) => {
    const siblings = isOfType ? typeSiblingsOf(element) : siblingsOf(element)
    const index = siblings.indexOf(element)
    const place = isLast ? siblings.length - index : index + 1
    return a === 0 ? place === b : (place - b) % a === 0 && (place - b) / a >= 0
  }
}

function stepsOf(nth: Nth['nth']): readonly [number, number] {
  if (nth.type === 'AnPlusB') return [Number(nth.a ?? 0), Number(nth.b ?? 0)]
  return nth.name === 'odd' ? [2, 1] : [2, 0]
}

/** Whether a class stands in the attribute; asked for each rule and element, so without taking it apart. */
function hasClass(classes: string | undefined, name: string): boolean {
  if (classes === undefined) return false
  for (let at = classes.indexOf(name); at >= 0; at = classes.indexOf(name, at + 1)) {
    const end = at + name.length
    const isStart = at === 0 || isGap(classes.charCodeAt(at - 1))
    if (isStart && (end === classes.length || isGap(classes.charCodeAt(end)))) return true
  }
  return false
}

function isGap(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

function previousOf(element: Element): Element | null {
  for (let at = element.prev; at; at = at.prev) if (isElement(at)) return at
  return null
}

function nextOf(element: Element): Element | null {
  for (let at = element.next; at; at = at.next) if (isElement(at)) return at
  return null
}

function siblingsOf(element: Element): readonly Element[] {
  return (element.parent?.children ?? []).filter(isElement)
}

function typeSiblingsOf(element: Element): readonly Element[] {
  return siblingsOf(element).filter((one) => one.name === element.name)
}

function isLink(element: Element): boolean {
  return (element.name === 'a' || element.name === 'area') && element.attribs.href !== undefined
}

function specificityOf(nodes: readonly CssNode[]): number {
  let sum = 0
  for (const node of nodes) {
    if (node.type === 'IdSelector') sum += ID_WEIGHT
    else if (node.type === 'ClassSelector' || node.type === 'AttributeSelector') sum += CLASS_WEIGHT
    else if (node.type === 'TypeSelector') sum += node.name === '*' ? 0 : 1
    else if (node.type === 'PseudoClassSelector') sum += specificityOfPseudo(node)
  }
  return sum
}

/** `:where()` weighs nothing; `:is()` and `:not()` weigh as their heaviest argument. */
function specificityOfPseudo(node: PseudoClassSelector): number {
  if (node.name === 'where') return 0
  const list = node.children?.first
  if (list?.type !== 'SelectorList') return CLASS_WEIGHT
  const each = list.children
    .toArray()
    .map((one) => (one.type === 'Selector' ? specificityOf(one.children.toArray()) : 0))
  return Math.max(0, ...each)
}

function keyOf(nodes: readonly CssNode[]): string {
  const id = nodes.find((node) => node.type === 'IdSelector')
  if (id) return `#${id.name}`
  const named = nodes.find((node) => node.type === 'ClassSelector')
  if (named) return `.${named.name}`
  const type = nodes.find((node) => node.type === 'TypeSelector')
  return type && type.name !== '*' ? type.name.toLowerCase() : '*'
}
