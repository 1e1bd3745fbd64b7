import { type Element, isTag } from 'domhandler'
import { getChildren } from 'domutils'
import { isStack, partsOf } from './math-parts.ts'
import { writeDelimiter, writeFenced, writePair } from './tex-fences.ts'
import { writeBase, writeExponent, writeOver } from './tex-limits.ts'
import { writeTable } from './tex-tables.ts'
import { writeText, writeToken } from './tex-tokens.ts'

/** Writes MathML without a source in TeX as TeX. */
export function mathToTex(math: Element): string {
  return writeRow(partsOf(math))
    .replace(/\s+/g, ' ')
    .replace(/(\\[a-z]+) (?![a-z])/gi, '$1')
    .trim()
}

function writeRow(parts: readonly Element[]): string {
  const fenced = writeFenced(parts, writeRow)
  if (fenced !== null) return fenced
  let written = ''
  for (let at = 0; at < parts.length; at += 1) {
    const pair = writePair(parts.slice(at, at + 3), write)
    if (pair !== null) at += pair.length - 1
    const part = parts[at]
    if (pair !== null || part !== undefined) written += pair?.tex ?? write(part as Element)
  }
  return written
}

function writeAll(node: Element): string {
  return writeRow(partsOf(node))
}

/** Temml draws a box as the border of a group. */
const BORDER = /border:\s*[\d.]+\w+ solid/

function write(node: Element): string {
  const parts = partsOf(node)
  const group = (at: number) => (parts[at] ? write(parts[at]).trim() : '')
  switch (node.name) {
    case 'mi':
    case 'mn':
    case 'mo':
      return parts.length > 0 ? writeAll(node) : writeToken(node)
    case 'mtext':
    case 'ms':
      return parts.length > 0 ? writeAll(node) : writeText(node)
    case 'mspace':
      return writeSpace(node)
    case 'msup':
      return `${writeBase(parts[0], write)}${writeExponent(group(1))}`
    case 'msub':
      return `${writeBase(parts[0], write)}_{${group(1)}}`
    case 'msubsup':
      return `${writeBase(parts[0], write)}_{${group(1)}}${writeExponent(group(2))}`
    case 'mmultiscripts':
      return writeScripts(node)
    case 'mfrac':
      if (isStack(node)) return `\\genfrac{}{}{0pt}{}{${group(0)}}{${group(1)}}`
      if (node.attribs.bevelled === 'true') return `{${group(0)}}/{${group(1)}}`
      return `\\frac{${group(0)}}{${group(1)}}`
    case 'msqrt':
      return `\\sqrt{${writeAll(node).trim()}}`
    case 'mroot':
      return `\\sqrt[${group(1)}]{${group(0)}}`
    case 'mover':
      return writeOver(parts, { below: null, above: group(1) }, write)
    case 'munder':
      return writeOver(parts, { below: group(1), above: null }, write)
    case 'munderover':
      return writeOver(parts, { below: group(1), above: group(2) }, write)
    case 'mtable':
      return writeTable(node, write)
    case 'mfenced':
      return writeFences(node, parts.map(write))
    case 'menclose':
      if (parts.length === 1 && parts[0]?.name === 'mtable')
        return writeTable(parts[0], write, { frame: node.attribs.notation ?? '' })
      return writeEnclosed(node.attribs.notation ?? '', writeAll(node).trim())
    case 'mphantom':
      return `\\phantom{${writeAll(node)}}`
    case 'maction':
      return parts[Number(node.attribs.selection ?? 1) - 1]
        ? group(Number(node.attribs.selection ?? 1) - 1)
        : ''
    case 'semantics':
      return parts[0] ? write(parts[0]) : ''
    case 'annotation':
    case 'annotation-xml':
      return ''
    case 'mrow':
      return BORDER.test(node.attribs.style ?? '') ? `\\boxed{${writeAll(node).trim()}}` : writeAll(node)
    default:
      return parts.length > 0 || isTag(node.children[0] ?? node) ? writeAll(node) : writeText(node)
  }
}

function writeSpace({ attribs }: Element): string {
  if (attribs.linebreak === 'newline') return '\\\\ '
  const width = /^([\d.]+)em$/.exec(attribs.width ?? '')?.[1]
  if (width === undefined || Number(width) < 1) return ' '
  return Number(width) < 2 ? '\\quad ' : '\\qquad '
}

/** Indices and exponents on both sides of a base. */
function writeScripts(node: Element): string {
  const all = getChildren(node).filter(isTag)
  const at = all.findIndex(({ name }) => name === 'mprescripts')
  const [base, ...after] = at < 0 ? all : all.slice(0, at)
  const pairs = (list: readonly Element[]) =>
    list.map((script, index) => {
      const text = script.name === 'none' ? '' : write(script).trim()
      return text === '' ? '' : `${index % 2 === 0 ? '_' : '^'}{${text}}`
    })
  const before = pairs(at < 0 ? [] : all.slice(at + 1)).join('')
  return `${before === '' ? '' : `{}${before}`}${writeBase(base, write)}${pairs(after).join('')}`
}

function writeFences({ attribs }: Element, parts: readonly string[]): string {
  const { open = '(', close = ')', separators = ',' } = attribs
  const marks = [...separators.replace(/\s+/g, '')]
  const inner = parts.map((part, at) =>
    at === 0 ? part : `${marks[Math.min(at, marks.length) - 1] ?? ''}${part}`,
  )
  return `\\left${writeDelimiter(open.trim())} ${inner.join('')}\\right${writeDelimiter(close.trim())} `
}

function writeEnclosed(notation: string, content: string): string {
  const kinds = new Set(notation.trim().split(/\s+/))
  if (kinds.has('updiagonalstrike') && kinds.has('downdiagonalstrike')) return `\\xcancel{${content}}`
  if (kinds.has('updiagonalstrike')) return `\\cancel{${content}}`
  if (kinds.has('downdiagonalstrike')) return `\\bcancel{${content}}`
  if (kinds.has('horizontalstrike')) return `\\enclose{horizontalstrike}{${content}}`
  if (kinds.has('box') || kinds.has('roundedbox')) return `\\boxed{${content}}`
  if (kinds.has('radical')) return `\\sqrt{${content}}`
  if (kinds.has('circle')) return `\\enclose{circle}{${content}}`
  const above = kinds.has('top') || kinds.has('actuarial') ? `\\overline{${content}}` : content
  return kinds.has('bottom') ? `\\underline{${above}}` : above
}
