import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { elementsBelow, textOf } from '../html-tree.ts'
import { type Formula, toMathElement } from './formula.ts'
import { markTex, readTexRules, type TexRules } from './mark-tex.ts'
import { isDrawn, isFormulaMark, readFormula } from './read-formula.ts'

const PREVIEW = /(?:^|\s)(?:MathJax_Preview|MathJax_Error)(?:$|\s)/

/**
 * Replaces each formula of a page by one `math` element with its TeX as text: formulas of KaTeX and MathJax, MathML,
 * images of formulas, which repeat the MathML of some pages, and TeX in the text. Returns the number of formulas of
 * which nothing can be read; they are removed.
 */
export function markFormulas(tree: Document): number {
  const elements = elementsBelow(tree)
  const rules = readTexRules(elements)
  let unread = 0
  if (elements.some(isFormulaMark)) unread = markElements(tree)
  markTexBelow(tree, rules)
  return unread
}

function markElements(tree: Document): number {
  const drawn = new Set<ChildNode>()
  let last: Formula | null = null
  let unread = 0
  const mark = (parent: Element | Document) => {
    const children: ChildNode[] = []
    for (const child of parent.children) {
      const formula = isTag(child) ? readFormula(child) : null
      if (formula === 'unread') {
        unread += 1
        drawn.add(child)
        children.push(child)
        continue
      }
      if (formula === null || !isTag(child)) {
        if (textOf(child)?.trim()) last = null
        if (isTag(child)) mark(child)
        children.push(child)
        continue
      }
      if (child.name === 'script') unread -= dropDrawn(children, drawn)
      const isRepeated = child.name === 'img' && last?.tex === formula.tex
      last = formula
      if (isRepeated) continue
      const math = toMathElement(formula)
      math.parent = parent
      if (isDrawn(child)) drawn.add(math)
      children.push(math)
    }
    parent.children = children.filter((child) => !(isTag(child) && drawn.has(child) && child.name !== 'math'))
  }
  mark(tree)
  return unread
}

/** Drops what MathJax drew for the script after it, and returns how much of it could not be read. */
function dropDrawn(children: ChildNode[], drawn: ReadonlySet<ChildNode>): number {
  let unread = 0
  for (let at = children.length - 1; at >= 0; at -= 1) {
    const child = children[at]
    if (child === undefined || textOf(child)?.trim() === '' || child.type === 'comment') continue
    if (!isTag(child) || !(drawn.has(child) || PREVIEW.test(child.attribs.class ?? ''))) return unread
    if (drawn.has(child) && child.name !== 'math') unread += 1
    children.splice(at, 1)
  }
  return unread
}

/** Elements whose text is shown as it is. */
const VERBATIM = new Set('code pre kbd samp tt textarea script style math svg'.split(' '))
const IGNORED = /(?:^|\s)(?:tex2jax_ignore|mathjax_ignore|nomathjax)(?:$|\s)/

function markTexBelow(parent: Element | Document, rules: TexRules): void {
  for (const child of parent.children) {
    if (!isTag(child) || VERBATIM.has(child.name) || IGNORED.test(child.attribs.class ?? '')) continue
    markTexBelow(child, rules)
  }
  markTex(parent, rules)
}
