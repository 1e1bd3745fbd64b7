import { type Element, isTag, isText } from 'domhandler'
import type { Style } from '../css/computed-style.ts'
import {
  childrenOf,
  closest,
  collapse,
  descendantsOf,
  type PageTree,
  textOf,
  token,
  wordsOf,
} from '../tree/page-tree.ts'
import { isPresentational } from './role.ts'
import { factsOf } from './role-table.ts'
import type { Presence } from './visibility.ts'

type Sources = {
  readonly tree: PageTree
  readonly presence: Presence
  readonly styleOf: (element: Element) => Style
  readonly roleOf: (element: Element) => string | null
}

/** The state of the name computation when it reaches an element. */
type Visit = {
  /** Reached through an `aria-labelledby` reference; such references are followed only one level deep. */
  readonly isReferenced: boolean
  /** Reached through the content of another element. */
  readonly isContent: boolean
  /** Inside a hidden element that was referenced: hidden text counts there. */
  readonly countsHidden: boolean
  readonly seen: ReadonlySet<Element>
  /** How many more elements this name may visit; bounds references that fan out. */
  readonly budget: { left: number }
}

type NameOf = (element: Element) => string

const LABELABLE = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea'])
/** HTML's default labels for buttons without a value. */
const DEFAULT_VALUES: Readonly<Record<string, string>> = { submit: 'Submit', reset: 'Reset' }

const SHAPES = new Set(
  'svg g circle ellipse line path polygon polyline rect use symbol text tspan image a'.split(' '),
)

const START = { isReferenced: false, isContent: false, countsHidden: false, seen: new Set<Element>() }
/** Chosen: far more elements than any useful name consists of. */
const MAX_VISITS = 2_000

/** Elements that take their name from their content, or whose content labels another element, whatever their role. */
const NAMED_BY_CONTENT = new Set(['summary', 'label', 'legend', 'caption', 'figcaption', 'option'])
/** Bounds chains of references and nested elements. */
const MAX_DEPTH = 60

/**
 * Computes accessible names (Accessible Name and Description Computation 1.2) and caches them; empty if an
 * element has no name. White space is collapsed.
 */
export function createNames(sources: Sources): (element: Element) => string {
  const cache = new WeakMap<Element, string>()
  return (element) => {
    const found = cache.get(element)
    if (found !== undefined) return found
    const name = collapse(compute(element, { ...START, budget: { left: MAX_VISITS } }, sources))
    cache.set(element, name)
    return name
  }
}

function compute(element: Element, visit: Visit, sources: Sources): string {
  if (visit.seen.has(element) || visit.seen.size > MAX_DEPTH || visit.budget.left <= 0) return ''
  visit.budget.left -= 1
  if (!visit.countsHidden && !sources.presence.isExposed(element)) return ''
  const inside: Visit = { ...visit, seen: new Set([...visit.seen, element]) }
  const referenced = visit.isReferenced ? '' : fromReferences(element, inside, sources)
  if (referenced !== '') return referenced
  const role = sources.roleOf(element)
  if (visit.isContent) {
    const value = embeddedValue(element, role)
    if (value !== null) return value
  }
  const label = collapse(element.attribs['aria-label'] ?? '')
  if (label !== '') return label
  const isPlain = isPresentational(role)
  if (!isPlain) {
    const labels = (one: Element) => compute(one, { ...inside, isContent: true }, sources)
    const native = collapse(nativeName(element, sources.tree, labels))
    if (native !== '') return native
  }
  if (namesByContent(element, role, visit)) {
    const content = fromContent(element, inside, sources)
    if (collapse(content) !== '') return content
  }
  if (isPlain && visit.isContent && element.name === 'img') return ''
  return collapse(element.attribs.title ?? '') || collapse(placeholderOf(element))
}

function fromReferences(element: Element, visit: Visit, sources: Sources): string {
  const names = wordsOf(element, 'aria-labelledby').map((id) => {
    const target = sources.tree.byId.get(id)?.[0]
    if (!target) return ''
    const isHidden = !sources.presence.isExposed(target)
    // An element's `aria-labelledby` may refer to the element itself.
    const seen = new Set([...visit.seen].filter((one) => one !== target))
    return compute(
      target,
      { isReferenced: true, isContent: true, countsHidden: isHidden, seen, budget: visit.budget },
      sources,
    )
  })
  return collapse(names.join(' '))
}

function namesByContent(element: Element, role: string | null, visit: Visit): boolean {
  if (visit.isContent) return element.name !== 'svg' && element.name !== 'object'
  return (factsOf(role)?.isNamedByContent ?? false) || NAMED_BY_CONTENT.has(element.name)
}

function fromContent(element: Element, visit: Visit, sources: Sources): string {
  const below: Visit = { ...visit, isContent: true }
  const pieces: string[] = []
  for (const child of element.children) {
    if (isText(child)) pieces.push(child.data)
    else if (isTag(child) && child.name === 'br') pieces.push(' ')
    else if (isTag(child)) {
      const gap = sources.styleOf(child).display.startsWith('inline') ? '' : ' '
      pieces.push(gap, compute(child, below, sources), gap)
    }
  }
  for (const id of wordsOf(element, 'aria-owns')) {
    const owned = sources.tree.byId.get(id)?.[0]
    if (owned) pieces.push(' ', compute(owned, below, sources))
  }
  return pieces.join('')
}

/** Inside the content of another element, a field contributes its value (step 2C). */
function embeddedValue(element: Element, role: string | null): string | null {
  if (element.name === 'input' && (role === 'textbox' || role === 'searchbox' || role === 'spinbutton'))
    return element.attribs.value ?? null
  if (role === 'slider' || role === 'progressbar' || role === 'meter')
    return (
      element.attribs['aria-valuetext'] ?? element.attribs['aria-valuenow'] ?? element.attribs.value ?? null
    )
  if (element.name !== 'select') return null
  const options = [...optionsOf(element)]
  return textOf(options.find((one) => one.attribs.selected !== undefined) ?? options[0] ?? element)
}

function* optionsOf(element: Element): Generator<Element> {
  for (const child of childrenOf(element)) {
    if (child.name === 'option') yield child
    else yield* optionsOf(child)
  }
}

const WITH_PLACEHOLDER = new Set(['', 'text', 'search', 'tel', 'url', 'email', 'password', 'number'])

function placeholderOf(element: Element): string {
  const isField =
    element.name === 'textarea' || (element.name === 'input' && WITH_PLACEHOLDER.has(token(element, 'type')))
  return isField ? (element.attribs.placeholder ?? '') : (element.attribs['aria-placeholder'] ?? '')
}

/**
 * The name that an element gets from HTML or SVG alone (HTML-AAM 1.0, section 5; SVG-AAM); empty if there is
 * none. An unlabelled image button gets no name here, since its default "Submit Query" does not describe what
 * it does.
 * @param nameOf the name of a label, legend or caption
 */
function nativeName(element: Element, tree: PageTree, nameOf: NameOf): string {
  const { name, attribs } = element
  switch (name) {
    case 'img':
    case 'area':
      return attribs.alt ?? ''
    case 'input':
      return inputName(element, tree, nameOf)
    case 'fieldset':
      return childName(element, 'legend', nameOf)
    case 'figure':
      return childName(element, 'figcaption', nameOf)
    case 'table':
      return childName(element, 'caption', nameOf)
    case 'optgroup':
      return attribs.label ?? ''
    case 'option':
      return attribs.label ?? ''
    default:
      if (LABELABLE.has(name)) return labelsOf(element, tree).map(nameOf).join(' ')
      return isDrawing(element) ? drawingName(element) : ''
  }
}

/** The labels of a field: those that refer to its id, and the enclosing label unless that refers to another field. */
function labelsOf(element: Element, { labelsFor }: PageTree): readonly Element[] {
  const named = labelsFor.get(element.attribs.id ?? '') ?? []
  const enclosing = closest(element, 'label')
  const isOwn =
    enclosing?.attribs.for === undefined && enclosing !== null && firstField(enclosing) === element
  return isOwn ? [...named, enclosing] : named
}

function firstField(label: Element): Element | null {
  for (const one of descendantsOf(label))
    if (LABELABLE.has(one.name) && token(one, 'type') !== 'hidden') return one
  return null
}

function inputName(element: Element, tree: PageTree, nameOf: NameOf): string {
  const { value, alt } = element.attribs
  const type = token(element, 'type')
  const labels = labelsOf(element, tree).map(nameOf).join(' ')
  if (labels.trim() !== '') return labels
  if (type === 'image') return alt || value || ''
  if (type === 'submit' || type === 'reset') return value ?? DEFAULT_VALUES[type] ?? ''
  return type === 'button' ? (value ?? '') : ''
}

function childName(element: Element, child: string, nameOf: NameOf): string {
  const found = childrenOf(element).find((one) => one.name === child)
  return found ? nameOf(found) : ''
}

function isDrawing(element: Element): boolean {
  return element.name === 'svg' || (SHAPES.has(element.name) && closest(element, 'svg') !== null)
}

/** Its own `title` child; the title of a nested shape names only that shape. */
function drawingName(element: Element): string {
  const title = childrenOf(element).find((one) => one.name === 'title')
  return title ? textOf(title) : ''
}
