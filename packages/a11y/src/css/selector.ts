import { compile, type Options } from 'css-select'
import { type CssNode, generate, ident, type PseudoClassSelector, type Selector } from 'css-tree'
import type { AnyNode, Element } from 'domhandler'
import { selfAndAncestors, token } from '../tree/page-tree.ts'

/** The boxes that a style sheet generates in an element. */
export type Pseudo = 'before' | 'after'

/** A compiled selector that matches elements of a page without user interaction: no pointer, no focus. */
export type CompiledSelector = {
  /** The generated box that it selects in the elements that match; null for the elements themselves. */
  readonly pseudo: Pseudo | null
  /**
   * The counts of ids, classes and types packed into one number that sorts by specificity (Selectors 4,
   * section 17).
   */
  readonly specificity: number
  /** The index key of the rightmost compound: `#id`, `.class`, a tag name, or `*`. */
  readonly key: string
  readonly matches: (element: Element) => boolean
}

const [ID_WEIGHT, CLASS_WEIGHT] = [1_000_000, 1_000]
/** Pseudo-classes that css-select does not support and that depend on a pointer, focus, input or language. */
const INTERACTION_PSEUDOS =
  `autofill current default defined focus focus-visible focus-within fullscreen future host
  in-range indeterminate invalid lang modal open out-of-range past paused picture-in-picture placeholder-shown playing
  popover-open read-only read-write target target-within user-invalid user-valid valid`.split(/\s+/)
const OPTIONS: Options<AnyNode, Element> = {
  pseudos: {
    ...Object.fromEntries(INTERACTION_PSEUDOS.map((name) => [name, () => false])),
    dir: (element, direction) => directionOf(element) === direction?.trim().toLowerCase(),
  },
}
const GENERATED = /::?(before|after)$/i

/** Null for a selector that matches nothing on a page without user interaction. */
export function compileSelector(selector: Selector): CompiledSelector | null {
  const nodes = selector.children.toArray()
  const text = generate(selector)
  const pseudo = (GENERATED.exec(text)?.[1]?.toLowerCase() ?? null) as Pseudo | null
  if (pseudo !== null) nodes.pop()
  const subject = nodes.slice(nodes.findLastIndex(({ type }) => type === 'Combinator') + 1)
  if (subject.some(({ type }) => type === 'PseudoElementSelector')) return null
  // A generated box without a selector in front of it belongs to any element.
  const host = pseudo === null ? text : text.replace(GENERATED, subject.length === 0 ? '*' : '')
  const specificity = specificityOf(nodes) + (pseudo === null ? 0 : 1)
  return { pseudo, specificity, key: keyOf(subject), matches: compileLate(host) }
}

/** Most rules of a sheet are never tested on an element, and compiling takes longer than reading them. */
function compileLate(text: string): (element: Element) => boolean {
  let compiled: ((element: Element) => boolean) | undefined
  return (element) => {
    compiled ??= compileOrNever(text)
    return compiled(element)
  }
}

function compileOrNever(text: string): (element: Element) => boolean {
  try {
    return compile<AnyNode, Element>(text, OPTIONS)
  } catch {
    // css-select throws on unknown selectors, such as vendor pseudo-classes; browsers drop such a rule.
    return () => false
  }
}

/** Where text starts in the element: the `dir` of the innermost element that states one. */
function directionOf(element: Element): 'ltr' | 'rtl' {
  for (const one of selfAndAncestors(element)) {
    const direction = token(one, 'dir')
    if (direction === 'ltr' || direction === 'rtl') return direction
  }
  return 'ltr'
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

/** `:where()` has no specificity; `:is()` and `:not()` have that of their most specific argument. */
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
  if (id) return `#${ident.decode(id.name)}`
  const named = nodes.find((node) => node.type === 'ClassSelector')
  if (named) return `.${ident.decode(named.name)}`
  const type = nodes.find((node) => node.type === 'TypeSelector')
  return type?.name.toLowerCase() ?? '*'
}
