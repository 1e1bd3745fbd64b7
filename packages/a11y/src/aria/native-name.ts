import type { Element } from 'domhandler'
import {
  childrenOf,
  closest,
  collapse,
  descendantsOf,
  type PageTree,
  textOf,
  token,
} from '../tree/page-tree.ts'

type NameOf = (element: Element) => string

const LABELABLE = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea'])
/** HTML's default labels for buttons without a value. */
const DEFAULT_VALUES: Readonly<Record<string, string>> = { submit: 'Submit', reset: 'Reset' }

const SHAPES = new Set(
  'svg g circle ellipse line path polygon polyline rect use symbol text tspan image a'.split(' '),
)

const WITH_PLACEHOLDER = new Set(['', 'text', 'search', 'tel', 'url', 'email', 'password', 'number'])

/**
 * The name that an element gets from HTML or SVG alone (HTML-AAM 1.0, section 5; SVG-AAM); empty if there is
 * none. An unlabelled image button gets no name here, since its default "Submit Query" does not describe what
 * it does.
 * @param nameOf the name of a label, legend or caption
 */
export function nativeName(element: Element, tree: PageTree, nameOf: NameOf): string {
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

/** The name that a field gets from its placeholder if it has no other. */
export function placeholderOf(element: Element): string {
  const isField =
    element.name === 'textarea' || (element.name === 'input' && WITH_PLACEHOLDER.has(token(element, 'type')))
  return collapse((isField ? element.attribs.placeholder : element.attribs['aria-placeholder']) ?? '')
}

/**
 * The labels of a field in document order: those that refer to its id, and the enclosing label unless that
 * refers to another field.
 */
function labelsOf(element: Element, { labelsFor }: PageTree): readonly Element[] {
  const named = labelsFor.get(element.attribs.id ?? '') ?? []
  const enclosing = closest(element, 'label')
  const isOwn =
    enclosing?.attribs.for === undefined && enclosing !== null && firstField(enclosing) === element
  if (!isOwn) return named
  return [...named, enclosing].sort((one, other) => (one.startIndex ?? 0) - (other.startIndex ?? 0))
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
