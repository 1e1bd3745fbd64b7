import type { Element } from 'domhandler'
import { textContent } from 'domutils'
import { splitStyle, writeSymbols } from './tex-symbols.ts'

/** Invisible operators (MathML Core, appendix B.2), without that of the application of a function. */
const INVISIBLE = /[\u2061-\u2064\u200b]|\ufe0e/g
const FUNCTIONS =
  /^(?:arccos|arcsin|arctan|arg|cos|cosh|cot|coth|csc|deg|det|dim|exp|gcd|hom|inf|ker|lg|lim|ln|log|max|min|Pr|sec|sin|sinh|sup|tan|tanh)$/
const SPACED_FUNCTIONS: Readonly<Record<string, string>> = { 'lim inf': 'liminf', 'lim sup': 'limsup' }

const STYLES: Readonly<Record<string, string>> = {
  normal: 'mathrm',
  bold: 'mathbf',
  'bold-italic': 'boldsymbol',
  script: 'mathcal',
  'bold-script': 'mathcal',
  fraktur: 'mathfrak',
  'bold-fraktur': 'mathfrak',
  'double-struck': 'mathbb',
  'sans-serif': 'mathsf',
  'bold-sans-serif': 'mathsf',
  'sans-serif-italic': 'mathsf',
  'sans-serif-bold-italic': 'mathsf',
  monospace: 'mathtt',
}
const TEXT_STYLES: Readonly<Record<string, string>> = {
  bold: 'textbf',
  italic: 'textit',
  'bold-italic': 'textbf',
  monospace: 'texttt',
  'sans-serif': 'textsf',
}

export function isFunction(text: string): boolean {
  return FUNCTIONS.test(text)
}

/** Whether a token is a word, which is upright in formulas. */
export function isWord(text: string): boolean {
  return /^\p{L}[\p{L}\p{N}.\s-]*$/u.test(text) && [...text].length > 1
}

/** Writes a name, number or operator. */
export function writeToken(node: Element): string {
  const source = textContent(node)
  const text = source
    .replace(INVISIBLE, '')
    .replace(/[ \t\n\r\f]+/g, ' ')
    .trim()
  const { letters, style } = withoutStyle(text, node.attribs.mathvariant ?? '')
  if (FUNCTIONS.test(letters) && (style === '' || style === 'normal')) return `\\${letters} `
  const spaced = SPACED_FUNCTIONS[letters.replace(/\s+/g, ' ')]
  if (spaced !== undefined) return `\\${spaced} `
  const written = writeSymbols(letters)
  if (node.name !== 'mo' && isWord(letters)) return `\\${STYLES[style] ?? 'mathrm'}{${written.trim()}}`
  if (node.name === 'mo' && isWord(letters)) return `\\operatorname{${written.trim()}}`
  if (style === '' || style === 'italic' || letters === '') return written
  if (style === 'normal' && !/^[a-z]$/i.test(letters)) return written
  const command = written.includes('\\') && style === 'bold' ? 'boldsymbol' : STYLES[style]
  return command === undefined || (node.name === 'mo' && style === 'normal')
    ? written
    : `\\${command}{${written.trim()}}`
}

/** Letters of mathematical alphabets as plain ones, with the one style that all of them have. */
function withoutStyle(text: string, declared: string): { readonly letters: string; readonly style: string } {
  const split = [...text].map(splitStyle)
  const styles = new Set(split.map(({ style }) => style).filter((style) => style !== ''))
  const [style] = styles
  if (styles.size > 1) return { letters: text, style: declared }
  return { letters: split.map(({ letter }) => letter).join(''), style: style ?? declared }
}

/** Characters that text has no command for. */
const SPECIAL: Readonly<Record<string, string>> = { '\\': '\\backslash ', '~': '\\sim ', '^': '\\hat{}' }

/** Writes the text of a formula, with the spaces at its ends. */
export function writeText(node: Element): string {
  const text = textContent(node)
    .replace(/[\u200b\u2060-\u2064]/g, '')
    .replace(/[\s\u00a0]+/g, ' ')
  if (text.trim() === '') return text === '' ? '' : '\\;'
  const { letters, style } = withoutStyle(text, node.attribs.mathvariant ?? '')
  const command = `\\${TEXT_STYLES[style] ?? 'text'}{`
  const escaped = letters.replace(/[{}%#&$_\\~^]/g, (mark) =>
    SPECIAL[mark] === undefined ? `\\${mark}` : `}${SPECIAL[mark]}${command}`,
  )
  return `${command}${escaped}}`.replaceAll(`${command}}`, '')
}
