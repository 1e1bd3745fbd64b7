import type { Element } from 'domhandler'
import { textContent } from 'domutils'
import { isStack, partsOf, unwrap, type WriteMath } from './math-parts.ts'
import { writeTable } from './tex-tables.ts'

/** Delimiters and what they make of a table between them. */
const MATRICES: Readonly<Record<string, string>> = {
  '()': 'pmatrix',
  '[]': 'bmatrix',
  '{}': 'Bmatrix',
  '||': 'vmatrix',
  '∥∥': 'Vmatrix',
  '‖‖': 'Vmatrix',
}
const DELIMITERS: Readonly<Record<string, string>> = {
  '{': '\\{',
  '}': '\\}',
  '\\': '\\backslash ',
  '∥': '\\|',
  '‖': '\\|',
  '⟨': '\\langle ',
  '⟩': '\\rangle ',
  '⌈': '\\lceil ',
  '⌉': '\\rceil ',
  '⌊': '\\lfloor ',
  '⌋': '\\rfloor ',
}
const OPEN = /^[([{|∥‖⟨⌈⌊/\\]?$/
const CLOSE = /^[)\]}|∥‖⟩⌉⌋/\\]?$/
const TALL = new Set(['mfrac', 'mtable', 'munderover', 'msqrt', 'mroot', 'munder', 'mover'])

/** A matrix, cases or a binomial with the delimiters next to it. */
export function writePair(
  parts: readonly Element[],
  write: WriteMath,
): { readonly tex: string; readonly length: number } | null {
  const [open, inner, close] = parts
  if (open === undefined || inner === undefined) return null
  const start = delimiterOf(open)
  if (start === null) return null
  const content = unwrap(inner)
  const end = close === undefined ? '' : delimiterOf(close)
  if (content.name === 'mtable') {
    if (start === '{' && (end === '' || end === null))
      return { tex: writeTable(content, write, { matrix: 'cases' }), length: end === '' && close ? 3 : 2 }
    const matrix = MATRICES[start + (end ?? '')]
    return matrix === undefined ? null : { tex: writeTable(content, write, { matrix }), length: 3 }
  }
  if (!isStack(content) || end === null || close === undefined) return null
  const [above, below] = partsOf(content).map(write)
  if (start === '(' && end === ')') return { tex: `\\binom{${above}}{${below}}`, length: 3 }
  const [left, right] = [start, end].map((mark) => writeDelimiter(mark).replace(/^\.$/, ''))
  return { tex: `\\genfrac{${left}}{${right}}{0pt}{}{${above}}{${below}}`, length: 3 }
}

/** A group whose first and last member are delimiters that grow with it. */
export function writeFenced(
  parts: readonly Element[],
  write: (parts: readonly Element[]) => string,
): string | null {
  const [first, last] = [parts[0], parts.at(-1)]
  if (parts.length < 3 || first === undefined || last === undefined) return null
  const [open, close] = [delimiterOf(first), delimiterOf(last)]
  if (open === null || close === null || !OPEN.test(open) || !CLOSE.test(close)) return null
  if (parts.length === 3 && isPair(parts[1])) return null
  const inner = parts.slice(1, -1)
  if (!(grows(first) && grows(last) && (inner.some(isTall) || open === '' || close === ''))) return null
  return `\\left${writeDelimiter(open)} ${write(inner)}\\right${writeDelimiter(close)} `
}

/** Whether delimiters belong to an element: a table, or a fraction without a line. */
function isPair(node: Element | undefined): boolean {
  const content = node && unwrap(node)
  return content !== undefined && (content.name === 'mtable' || isStack(content))
}

function isTall(node: Element): boolean {
  return TALL.has(node.name) || partsOf(node).some(isTall)
}

/** The character of a delimiter, empty for an invisible one; null for any other element. */
function delimiterOf(node: Element): string | null {
  const token = unwrap(node)
  if (token.name !== 'mo') return null
  const text = textContent(token).trim()
  if (text === '') return token.attribs.fence === 'true' || hasClass(token, /^(?:OPEN|CLOSE)$/) ? '' : null
  return text.length === 1 && /[()[\]{}|∥‖⟨⟩⌈⌉⌊⌋/\\∣]/.test(text) ? text.replace('∣', '|') : null
}

function grows(node: Element): boolean {
  return unwrap(node).attribs.stretchy !== 'false'
}

function hasClass({ attribs }: Element, pattern: RegExp): boolean {
  return pattern.test(attribs['data-mjx-texclass'] ?? attribs.texclass ?? '')
}

/** Writes a delimiter that grows; a point is one that is not seen. */
export function writeDelimiter(mark: string): string {
  return mark === '' ? '.' : (DELIMITERS[mark] ?? mark)
}

/** Whether elements start and end with delimiters. */
export function isFenced(parts: readonly Element[]): boolean {
  const [first, last] = [parts[0], parts.at(-1)]
  if (parts.length < 3 || first === undefined || last === undefined) return false
  return OPEN.test(delimiterOf(first) ?? '-') && CLOSE.test(delimiterOf(last) ?? '-')
}
