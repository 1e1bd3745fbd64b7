import { compile } from 'css-select'
import { type CssNode, parse, walk } from 'css-tree'
import type { AnyNode, Document, Element } from 'domhandler'
import { appendChild, removeElement } from 'domutils'
import { elementsBelow } from './html-tree.ts'

export type Selection = {
  /** Selectors of the content; empty: the whole page. */
  readonly include: readonly string[]
  /** Selectors of elements that are removed first. */
  readonly exclude: readonly string[]
}

export const MAX_SELECTOR_LENGTH = 200
/** Each combinator multiplies the work on a page. */
const MAX_COMBINATORS = 4
const PSEUDO_CLASSES = new Set(
  'not is where empty root first-child last-child only-child first-of-type last-of-type only-of-type nth-child nth-last-child nth-of-type nth-last-of-type'.split(
    ' ',
  ),
)

/** Why a selector cannot be used: no valid CSS, or too much work for a page; null if it can. */
export function findSelectorIssue(selector: string): string | null {
  let [combinators, issue] = [0, null as string | null]
  try {
    const visit = (node: CssNode) => {
      if (node.type === 'Combinator') {
        combinators += 1
        // Each step to a sibling would visit all siblings before it.
        if (node.name !== ' ' && node.name !== '>') issue ??= `must not contain ${node.name}`
      }
      if (node.type === 'PseudoElementSelector' || node.type === 'Raw')
        issue ??= 'is not a supported selector'
      if (node.type === 'PseudoClassSelector' && !PSEUDO_CLASSES.has(node.name.toLowerCase()))
        issue ??= `must not contain :${node.name}`
    }
    walk(parse(selector, { context: 'selectorList' }), visit)
    compile<AnyNode, Element>(selector)
  } catch {
    return 'is not a valid CSS selector'
  }
  if (combinators > MAX_COMBINATORS) return `must have at most ${MAX_COMBINATORS} combinators`
  return issue
}

/** Removes the excluded elements from a tree, then all but the included ones, which stay in document order. */
export function selectElements(tree: Document, { include, exclude }: Selection): void {
  if (exclude.length > 0) {
    const isExcluded = compile<AnyNode, Element>(exclude.join(','))
    for (const element of elementsBelow(tree).filter(isExcluded)) removeElement(element)
  }
  if (include.length === 0) return
  const isIncluded = compile<AnyNode, Element>(include.join(','))
  const found = new Set(elementsBelow(tree).filter(isIncluded))
  const outermost = [...found].filter((element) => !hasAncestorIn(element, found))
  tree.children = []
  for (const element of outermost) {
    element.parent = null
    appendChild(tree, element)
  }
}

function hasAncestorIn(element: Element, among: ReadonlySet<unknown>): boolean {
  for (let above = element.parent; above !== null; above = above.parent) if (among.has(above)) return true
  return false
}
