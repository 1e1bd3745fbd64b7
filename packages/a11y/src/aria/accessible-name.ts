import { type Element, isTag, isText } from 'domhandler'
import type { Style } from '../css/computed-style.ts'
import type { GeneratedText } from '../css/generated-content.ts'
import { childrenOf, collapse, isSkipped, type PageTree, wordsOf } from '../tree/page-tree.ts'
import { embeddedValue } from './embedded-control.ts'
import { nativeName, placeholderOf } from './native-name.ts'
import { isPresentational } from './role.ts'
import { factsOf } from './role-table.ts'
import type { Presence } from './visibility.ts'

type Sources = {
  readonly tree: PageTree
  readonly presence: Presence
  readonly styleOf: (element: Element) => Style
  readonly generatedOf: (element: Element) => GeneratedText
  readonly roleOf: (element: Element) => string | null
}

/** The state of the name computation when it reaches an element. */
type Visit = {
  /** The element that is being named, or that names itself by a reference while another is named. */
  readonly owner: Element
  /** Reached through an `aria-labelledby` reference; such references are followed only one level deep. */
  readonly isReferenced: boolean
  /** Reached through the content of another element. */
  readonly isContent: boolean
  /** Inside a hidden element that was referenced: hidden text counts there. */
  readonly countsHidden: boolean
  readonly depth: number
  /** All elements visited for this name: each counts once. */
  readonly seen: Set<Element>
}

/** Chosen: far more elements than any useful name consists of. */
const MAX_VISITS = 2_000
/** Bounds nested elements. */
const MAX_DEPTH = 60

/** Values of `display` that continue the line without a box of their own. */
const INLINE = new Set(['inline', 'contents', 'ruby', 'ruby-base', 'ruby-text'])
/** Elements that take their name from their content, or whose content labels another element, whatever their role. */
const NAMED_BY_CONTENT = new Set(['summary', 'label', 'legend', 'caption', 'figcaption', 'option'])
/**
 * Computes accessible names (Accessible Name and Description Computation 1.2) and caches them; empty if an
 * element has no name. White space is collapsed.
 */
export function createNames(sources: Sources): (element: Element) => string {
  const cache = new WeakMap<Element, string>()
  return (element) => {
    const found = cache.get(element)
    if (found !== undefined) return found
    const start = { owner: element, isReferenced: false, isContent: false, countsHidden: false, depth: 0 }
    const name = collapse(compute(element, { ...start, seen: new Set() }, sources))
    cache.set(element, name)
    return name
  }
}

function compute(element: Element, visit: Visit, sources: Sources): string {
  if (visit.seen.has(element) || visit.seen.size >= MAX_VISITS || visit.depth > MAX_DEPTH) return ''
  visit.seen.add(element)
  const inside: Visit = { ...visit, depth: visit.depth + 1 }
  if (!visit.countsHidden && !sources.presence.isExposed(element))
    return visit.isContent ? fromVisibleChildren(element, inside, sources) : ''
  const referenced = visit.isReferenced ? '' : fromReferences(element, inside, sources)
  if (referenced !== '') return referenced
  const role = sources.roleOf(element)
  if (visit.isContent && element !== visit.owner) {
    const nameOf = (option: Element) => compute(option, inside, sources)
    const contentOf = (one: Element) => fromContent(one, inside, sources)
    const value = embeddedValue(element, { ...sources, nameOf, contentOf })
    if (value !== null) return value
  }
  const label = collapse(element.attribs['aria-label'] ?? '')
  if (label !== '') return label
  const isPlain = isPresentational(role)
  if (!isPlain) {
    // Hidden labels do not count: browsers ignore them, unlike step 2A.
    const source: Visit = { ...inside, owner: element, isContent: true }
    const nameOf = (one: Element) => compute(one, source, sources)
    const native = collapse(nativeName(element, sources.tree, nameOf))
    if (native !== '') return native
  }
  const content = namesByContent(element, role, visit) ? fromContent(element, inside, sources) : ''
  if (collapse(content) !== '') return content
  if (isPlain && visit.isContent && element.name === 'img') return ''
  return collapse(element.attribs.title ?? '') || placeholderOf(element) || content
}

function fromReferences(element: Element, visit: Visit, sources: Sources): string {
  const names = wordsOf(element, 'aria-labelledby').map((id) => {
    const target = sources.tree.byId.get(id)?.[0]
    if (!target) return ''
    // An element's `aria-labelledby` may refer to the element itself.
    if (target === element) visit.seen.delete(element)
    const countsHidden = !sources.presence.isExposed(target)
    return compute(
      target,
      { ...visit, owner: element, isReferenced: true, isContent: true, countsHidden },
      sources,
    )
  })
  return collapse(names.join(' '))
}

/** The names of the children that are visible although the element is `visibility: hidden`. */
function fromVisibleChildren(element: Element, visit: Visit, sources: Sources): string {
  if (!sources.presence.isRendered(element) || sources.styleOf(element).visibility === 'visible') return ''
  return childrenOf(element)
    .map((child) => compute(child, visit, sources))
    .join(' ')
}

function namesByContent(element: Element, role: string | null, visit: Visit): boolean {
  if (visit.isContent) return element.name !== 'svg' && element.name !== 'object'
  return (factsOf(role)?.isNamedByContent ?? false) || NAMED_BY_CONTENT.has(element.name)
}

function fromContent(element: Element, visit: Visit, sources: Sources): string {
  if (isSkipped(element)) return ''
  const below: Visit = { ...visit, isContent: true }
  const { before, after } = sources.generatedOf(element)
  const pieces: string[] = [before]
  for (const child of element.children) {
    if (isText(child)) pieces.push(child.data)
    else if (isTag(child) && child.name === 'br') pieces.push(' ')
    else if (isTag(child)) {
      const gap = INLINE.has(sources.styleOf(child).display) ? '' : ' '
      pieces.push(gap, compute(child, below, sources), gap)
    }
  }
  pieces.push(after)
  for (const id of wordsOf(element, 'aria-owns')) {
    const owned = sources.tree.byId.get(id)?.[0]
    if (owned) pieces.push(' ', compute(owned, below, sources))
  }
  return pieces.join('')
}
