import { type Element, isTag } from 'domhandler'
import { textContent } from 'domutils'
import { partsOf, unwrap, type WriteMath } from './math-parts.ts'
import { writeAccent, writeArrow } from './tex-accents.ts'
import { isFenced } from './tex-fences.ts'
import { isFunction, isWord } from './tex-tokens.ts'

const LIMITS = /^(?:[∑∏∐∫∬∭∮∯∰⋂⋃⋀⋁⨀⨁⨂⨄⨆]|lim.*|max|min|sup|inf|det|gcd|Pr|arg ?(?:max|min)|inj lim|proj lim)$/

type Limits = { readonly below: string | null; readonly above: string | null }

/** Writes limits, accents, labelled arrows, and anything else that is above or below a base. */
export function writeOver(parts: readonly Element[], { below, above }: Limits, write: WriteMath): string {
  const [base, first] = parts
  if (base === undefined) return ''
  if (below !== null && isSpace(below))
    return writeOver([base, ...parts.slice(2)], { below: null, above }, write)
  if (above !== null && isSpace(above)) return writeOver(parts.slice(0, -1), { below, above: null }, write)
  const scripts = `${below ? `_{${below}}` : ''}${above ? writeExponent(above) : ''}`
  if (scripts === '') return write(base)
  const token = unwrap(base)
  if (token.name === 'mo' || token.name === 'mi') {
    const labelled = writeLimits(token, { below, above }, () => writeBase(base, write) + scripts)
    if (labelled !== null) return labelled
  }
  let written = write(base).trim()
  if (isBraced(token)) return written + scripts
  const isSingle = /^(?:\p{L}|\\\p{L}+|\\\p{L}+\{\p{L}\})$/u.test(written)
  const over = parts.at(-1)
  const accent = (mark: Element | undefined, side: 'over' | 'under', content: string) =>
    mark ? writeAccent(unwrap(mark), side, { content, isSingle }) : null
  if (below)
    written =
      accent(first === over && above ? undefined : first, 'under', written) ??
      `\\underset{${below}}{${written}}`
  if (above) written = accent(over, 'over', written) ?? `\\overset{${above}}{${written}}`
  return written
}

/** Writes the limits of an operator, and the labels of an arrow; null for any other symbol. */
function writeLimits(token: Element, { below, above }: Limits, writeScripts: () => string): string | null {
  const text = textContent(token)
    .replace(/[\u2061\s]+/g, ' ')
    .trim()
  if (LIMITS.test(text) || isFunction(text) || token.attribs.movablelimits === 'true') return writeScripts()
  if (isWord(text))
    return `\\operatorname*{${text}}${below ? `_{${below}}` : ''}${above ? writeExponent(above) : ''}`
  return token.name === 'mo' ? writeArrow(text, below ?? '', above ?? '') : null
}

function isSpace(text: string): boolean {
  return text.replace(/\\(?:q?quad\b|;)|\s/g, '') === ''
}

/** Whether a label of a brace follows. */
function isBraced({ name, children }: Element): boolean {
  const mark = children.filter(isTag).at(-1)
  return (
    (name === 'mover' || name === 'munder') &&
    mark !== undefined &&
    /^[⏞⏟⎴⎵︷︸⏜⏝]$/.test(textContent(mark).trim())
  )
}

/** What an index or exponent belongs to, in braces if it has several parts. */
export function writeBase(base: Element | undefined, write: WriteMath): string {
  if (base === undefined) return '{}'
  const text = write(base).trim()
  const isOne =
    /^(?:\\?[\p{L}]+|\\mathbb\{.\}|\\mathrm\{[^{}]*\}|.)$/su.test(text) && !/^[\p{L}]{2,}$/u.test(text)
  return isOne || isFenced(partsOf(base)) ? text : `{${text}}`
}

export function writeExponent(text: string): string {
  if (/^(?:\\prime ?|')+$/.test(text)) return text.replace(/\\prime ?/g, "'")
  return `^{${text.replace(/^'+/, (primes) => '\\prime '.repeat(primes.length))}}`
}
