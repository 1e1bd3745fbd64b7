import { type Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'

type Options = {
  /** The environment of a table between delimiters. */
  readonly matrix?: string
  /** The sides of a table that have a line, as in `notation` of `menclose`. */
  readonly frame?: string
}
type Row = { readonly label: string; readonly cells: readonly Element[] }

/** Writes a table as a matrix, aligned equations or an array with lines. */
export function writeTable(
  table: Element,
  write: (node: Element) => string,
  { matrix, frame = '' }: Options = {},
): string {
  const rows = withoutGlue(rowsOf(table))
  const written = rows.map(({ cells }) => cells.map((cell) => write(cell).trim()))
  const labels = rows.map(({ label }) => writeLabel(label))
  while (written.length > 1 && written.at(-1)?.every((cell) => cell === '') && labels.at(-1) === '') {
    written.pop()
    labels.pop()
  }
  const [only] = written
  if (matrix === undefined && frame === '' && written.length === 1 && only?.length === 1)
    return `${only[0]}${labels[0]}`
  // A bracket at the start of a row would be its option.
  const lines = written.map(
    (cells, at) => `${cells.join(' & ').trimEnd().replace(/^\[/, '{}[')}${labels[at]}`,
  )
  const columns = written.reduce((max, { length }) => Math.max(max, length), 0)
  if (matrix === undefined && columns === 1 && isScript(table)) return `\\substack{${lines.join(' \\\\ ')}}`
  const isLabelled = labels.some((label) => label !== '')
  const environment = matrix ?? environmentOf(table, { rows, columns, isLabelled, frame })
  const [name = '', argument = ''] = environment.split(' ')
  const horizontal = name === 'array' ? valuesOf(table.attribs.rowlines) : []
  const isRuled = (at: number) => LINE.test(horizontal[Math.min(at - 1, horizontal.length - 1)] ?? '')
  const body = lines
    .map((line, at) => (at === 0 ? line : ` \\\\ ${isRuled(at) ? '\\hline ' : ''}${line}`))
    .join('')
  return `\\begin{${name}}${argument}${body}\\end{${name}}`
}

const LINE = /solid|dashed/

/** An attribute with a value for each row or column; the last one counts for all further ones. */
function valuesOf(declared = ''): string[] {
  return declared.trim().split(/\s+/)
}

function rowsOf(table: Element): Row[] {
  return getChildren(table)
    .filter(isTag)
    .filter(({ name }) => name === 'mtr' || name === 'mlabeledtr')
    .map((row) => {
      const cells = getChildren(row).filter(isTag)
      if (row.name === 'mlabeledtr')
        return { label: textContent(cells[0] ?? row).trim(), cells: cells.slice(1) }
      const tag = cells.find(isLabel)
      return { label: tag ? textContent(tag).trim() : '', cells: cells.filter((cell) => cell !== tag) }
    })
}

const GLUE = /glue|eqn-num|\btag\b/

/** A cell at the side with the number of an equation. */
function isLabel(cell: Element): boolean {
  const marks = [cell, ...getChildren(cell).filter(isTag)].map(({ attribs }) => attribs.class ?? '')
  return marks.some((mark) => GLUE.test(mark)) && textContent(cell).trim() !== ''
}

/** KaTeX and Temml center equations by empty columns at both sides. */
function withoutGlue(rows: readonly Row[]): Row[] {
  const isGlue = (cell: Element) =>
    textContent(cell).trim() === '' &&
    (/50%/.test(`${cell.attribs.width} ${cell.attribs.style}`) || GLUE.test(cell.attribs.class ?? ''))
  return rows.map(({ label, cells }) => ({ label, cells: cells.filter((cell) => !isGlue(cell)) }))
}

function writeLabel(label: string): string {
  if (label === '') return ''
  const inner = /^\((.*)\)$/.exec(label)?.[1]
  const text = (inner ?? label).replace(/[{}%#&$_\\]/g, '\\$&')
  return inner === undefined ? ` \\tag*{${text}}` : ` \\tag{${text}}`
}

/** Whether a table is an index, an exponent or a limit. */
function isScript({ parent }: Element): boolean {
  let above = parent
  for (let level = 0; level < 4 && above && 'name' in above; level += 1) {
    if (/^(?:msub|msup|msubsup|munder|mover|munderover)$/.test(above.name)) return true
    if (above.name !== 'mrow' && above.name !== 'mstyle' && above.name !== 'texatom') return false
    above = above.parent
  }
  return false
}

type Shape = {
  readonly rows: readonly Row[]
  readonly columns: number
  readonly isLabelled: boolean
  readonly frame: string
}

function environmentOf(table: Element, { rows, columns, isLabelled, frame }: Shape): string {
  const alignments = Array.from({ length: columns }, (_, at) => alignmentOf(table, rows, at))
  const isAligned = columns > 1 && alignments.every((side, at) => side === (at % 2 === 0 ? 'right' : 'left'))
  if (isAligned) return isLabelled ? 'align' : 'aligned'
  if (isLabelled) return columns === 1 ? 'gather' : 'align'
  const vertical = valuesOf(table.attribs.columnlines)
  const isFramed = LINE.test(table.attribs.frame ?? '')
  const [left, right] = ['left', 'right'].map((side) => (isFramed || frame.includes(side) ? '|' : ''))
  const isRuled = [...vertical, ...valuesOf(table.attribs.rowlines)].some((line) => LINE.test(line))
  const hasLines = isRuled || isFramed || frame !== ''
  if (!hasLines && alignments.every((side) => side === 'center' || side === '')) return 'matrix'
  const letters = alignments.map((side) => (side === '' ? 'c' : side.slice(0, 1)))
  const bars = letters.map((letter, at) => {
    const line = vertical[Math.min(at, vertical.length - 1)] ?? ''
    return at < columns - 1 && LINE.test(line) ? `${letter}|` : letter
  })
  return `array {${left}${bars.join('')}${right}}`
}

function alignmentOf(table: Element, rows: readonly Row[], at: number): string {
  const declared = valuesOf(table.attribs.columnalign)
  const cell = rows.find(({ cells }) => cells[at])?.cells[at]
  const own =
    cell?.attribs.columnalign ??
    /text-align:\s*(left|center|right)/.exec(cell?.attribs.style ?? '')?.[1] ??
    /\btml-(left|right)\b/.exec(cell?.attribs.class ?? '')?.[1]
  return own ?? declared[Math.min(at, declared.length - 1)] ?? ''
}
