import { type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'

/** Marks above a base, as TeX. */
const ACCENTS: Readonly<Record<string, string>> = {
  '^': 'hat',
  ˆ: 'hat',
  '~': 'tilde',
  '˜': 'tilde',
  '¯': 'bar',
  '‾': 'overline',
  '→': 'vec',
  '⃗': 'vec',
  '˙': 'dot',
  '.': 'dot',
}
/** Greek letters from alpha to omega, in the order of Unicode; omicron is a Latin o. */
const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma sigma tau upsilon phi chi psi omega'.split(
    ' ',
  )
const SYMBOLS: Readonly<Record<string, string>> = {
  '⋅': 'cdot',
  '·': 'cdot',
  '×': 'times',
  '±': 'pm',
  '≤': 'leq',
  '≥': 'geq',
  '≠': 'neq',
  '≈': 'approx',
  '→': 'to',
  '∈': 'in',
  '∞': 'infty',
  '∂': 'partial',
  '∑': 'sum',
  '∏': 'prod',
  '∫': 'int',
}
/** Invisible operators (MathML Core, appendix B.2). */
const INVISIBLE = /[\u2061-\u2064\u200b]/g
const FUNCTIONS =
  /^(?:sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|log|ln|exp|lim|max|min|sup|inf|det|dim|gcd|ker|arg|deg|Pr)$/

/** Writes MathML without a source in TeX as TeX; symbols stay the characters that they are. */
export function mathToTex(math: Element): string {
  return writeAll(math).replace(/\s+/g, ' ').trim()
}

function writeAll(node: Element): string {
  return childrenOf(node).map(write).join('')
}

function childrenOf(node: Element): Element[] {
  return getChildren(node)
    .filter(isTag)
    .filter(({ name }) => !name.startsWith('annotation'))
}

function write(node: Element): string {
  const parts = childrenOf(node)
  const group = (at: number) => `{${parts[at] ? write(parts[at]) : ''}}`
  const base = () => {
    const text = parts[0] ? write(parts[0]) : ''
    return /^(?:\\?[\p{L}]+|.)$/u.test(text) ? text : `{${text}}`
  }
  switch (node.name) {
    case 'mi':
    case 'mn':
    case 'mo':
      return writeToken(node)
    case 'mtext':
      return textContent(node).trim() === '' ? ' ' : `\\text{${textContent(node)}}`
    case 'ms':
      return `\\text{${textContent(node)}}`
    case 'mspace':
      return ' '
    case 'msup':
      return `${base()}^${group(1)}`
    case 'msub':
      return `${base()}_${group(1)}`
    case 'msubsup':
    case 'munderover':
      return `${base()}_${group(1)}^${group(2)}`
    case 'mfrac':
      return `\\frac${group(0)}${group(1)}`
    case 'msqrt':
      return `\\sqrt{${writeAll(node)}}`
    case 'mroot':
      return `\\sqrt[${parts[1] ? write(parts[1]) : ''}]${group(0)}`
    case 'mover':
      return writeAbove(base(), group(0), parts[1])
    case 'munder':
      return `${base()}_${group(1)}`
    case 'mtable':
      return `\\begin{matrix}${parts.map(write).join(' \\\\ ')}\\end{matrix}`
    case 'mtr':
      return parts.map(write).join(' & ')
    default:
      return writeAll(node)
  }
}

function writeAbove(base: string, grouped: string, above: Element | undefined): string {
  const accent = ACCENTS[above ? textContent(above).trim() : '']
  if (accent !== undefined) return `\\${accent}${grouped}`
  return `${base}^{${above ? write(above) : ''}}`
}

function writeToken(node: Element): string {
  const text = textContent(node).replace(INVISIBLE, '').replace(/\s+/g, ' ').trim()
  if (FUNCTIONS.test(text)) return `\\${text} `
  if (node.name === 'mi' && text.length > 1 && /^\p{L}+$/u.test(text)) return `\\mathrm{${text}}`
  return text
    .replace(/[{}%#&$]/g, '\\$&')
    .replace(/\u2212/g, '-')
    .replace(/[α-ω]/g, (letter) => `\\${GREEK[letter.charCodeAt(0) - 0x3b1]} `)
    .replace(/[⋅·×±≤≥≠≈→∈∞∂∑∏∫]/g, (symbol) => `\\${SYMBOLS[symbol]} `)
}
