import { type ChildNode, type Document, type Element, isTag, Text } from 'domhandler'
import { textContent } from 'domutils'
import { textOf } from '../html-tree.ts'
import { type Formula, toFormula, toMathElement } from './formula.ts'

/** What a page says of the TeX in its text. */
export type TexRules = {
  /** Whether a script of the page draws TeX. */
  readonly isDrawing: boolean
  /** Whether it draws what is between single dollar signs. */
  readonly hasDollars: boolean
}

const SCRIPTS = /mathjax|katex|temml|jsmath|tex2jax/i
const DOLLARS = /inlineMath[^;]{0,100}?["']\$["']|left\s*:\s*["']\$["']/i
/** Longer runs between delimiters are text. */
const MAX_LENGTH = 5_000
const OPENING = /\$\$?|\\\[|\\\(|\\begin\{((?:equation|align|alignat|gather|multline|eqnarray|flalign)\*?)\}/g
const DOLLAR_ELEMENTS =
  /(?:^|\s)(?:math|math-container|mathjax|mathjax-tex|tex|latex|arithmatex|tex2jax_process|mathjax_process|js-(?:inline|display)-math)(?:$|\s)/i

/** Finds the scripts that draw TeX. */
export function readTexRules(elements: readonly Element[]): TexRules {
  let [isDrawing, hasDollars] = [false, false]
  for (const element of elements) {
    if (element.name !== 'script') continue
    const text = textContent(element)
    if (SCRIPTS.test(element.attribs.src ?? '') || SCRIPTS.test(text.slice(0, MAX_LENGTH))) isDrawing = true
    if (DOLLARS.test(text.slice(0, MAX_LENGTH))) hasDollars = true
  }
  return { isDrawing, hasDollars }
}

/** Replaces the TeX in the text of an element by `math` elements; a formula may go on after a line break. */
export function markTex(parent: Element | Document, pageRules: TexRules): void {
  if (!parent.children.some(mayHoldTex)) return
  const rules = isMathElement(parent) ? { isDrawing: true, hasDollars: true } : pageRules
  let run: ChildNode[] = []
  let isChanged = false
  const children: ChildNode[] = []
  const endRun = () => {
    const replaced = replaceIn(run, rules)
    isChanged ||= replaced !== run
    for (const node of replaced) children.push(node)
    run = []
  }
  for (const child of parent.children) {
    if (isTag(child) && child.name !== 'br') {
      endRun()
      children.push(child)
    } else run.push(child)
  }
  endRun()
  if (!isChanged) return
  for (const child of children) child.parent = parent
  parent.children = children
}

function mayHoldTex(node: ChildNode): boolean {
  const text = textOf(node)
  return text !== null && (text.includes('$') || text.includes('\\'))
}

function isMathElement(element: Element | Document): boolean {
  if (!isTag(element)) return false
  return element.name === 'math-renderer' || DOLLAR_ELEMENTS.test(element.attribs.class ?? '')
}

type Found = { readonly start: number; readonly end: number; readonly formula: Formula }

function replaceIn(run: ChildNode[], rules: TexRules): ChildNode[] {
  if (!run.some(mayHoldTex)) return run
  const texts = run.map((node) => textOf(node) ?? (isTag(node) ? '\n' : ''))
  const found = findTex(texts.join(''), rules)
  if (found.length === 0) return run
  const replaced: ChildNode[] = []
  let [at, next] = [0, 0]
  for (const [index, node] of run.entries()) {
    const end = at + (texts[index]?.length ?? 0)
    let from = at
    for (; next < found.length; next += 1) {
      const { start, end: stop, formula } = found[next] as Found
      if (start >= end) break
      if (start >= from && isTextNode(node)) replaced.push(new Text(node.data.slice(from - at, start - at)))
      if (start >= at) replaced.push(toMathElement(formula))
      from = Math.min(stop, end)
      if (stop > end) break
    }
    if (from < end || from === at) {
      if (from === at) replaced.push(node)
      else if (isTextNode(node)) replaced.push(new Text(node.data.slice(from - at)))
    }
    at = end
  }
  return replaced
}

function isTextNode(node: ChildNode): node is Text {
  return textOf(node) !== null
}

/** Finds the formulas of a text, in order. */
function findTex(text: string, rules: TexRules): Found[] {
  const found: Found[] = []
  const absent = new Set<string>()
  OPENING.lastIndex = 0
  for (let match = OPENING.exec(text); match !== null; match = OPENING.exec(text)) {
    const [open, environment] = match
    const close = environment === undefined ? (CLOSING[open] ?? open) : `\\end{${environment}}`
    if (absent.has(close)) continue
    const from = match.index + open.length
    const at = findClose(text, close, from)
    if (at < 0) absent.add(close)
    if (at < 0 || at - from > MAX_LENGTH) continue
    const inner = text.slice(from, at)
    const end = at + close.length
    const around = { before: text[match.index - 1] ?? '', after: text[end] ?? '' }
    if (!isFormula(open, inner, { ...around, ...rules })) continue
    const source = environment === undefined ? inner : text.slice(match.index, end)
    const formula = toFormula(source, open !== '$' && open !== '\\(')
    if (formula === null) continue
    found.push({ start: match.index, end, formula })
    OPENING.lastIndex = end
  }
  return found
}

const CLOSING: Readonly<Record<string, string>> = { '\\[': '\\]', '\\(': '\\)' }

/** The next closing delimiter that no backslash escapes. */
function findClose(text: string, close: string, from: number): number {
  let at = text.indexOf(close, from)
  while (at > 0 && close.startsWith('$') && text[at - 1] === '\\') at = text.indexOf(close, at + 1)
  return at
}

type Place = TexRules & { readonly before: string; readonly after: string }

function isFormula(open: string, inner: string, { before, after, isDrawing, hasDollars }: Place): boolean {
  if (open.startsWith('\\begin')) return true
  if (before === '\\') return false
  if (open !== '$') return isDrawing ? inner.trim() !== '' : /\\[a-z]|[_^=<>]|^\s*[a-z]\s*$/i.test(inner)
  // Prices: a formula has no space next to its dollar signs and no digit after them.
  if (/^\s|\s$|\n\s*\n/.test(inner) || inner === '' || /\d/.test(after) || /[\w$]/.test(before)) return false
  if (hasDollars) return true
  return /\\[a-z]{2,}|[_^]\{/i.test(inner) || (isDrawing && /^[a-z]$|[_^=]/i.test(inner))
}
