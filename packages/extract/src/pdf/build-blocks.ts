import type { Block } from '../document/block.ts'
import { isLeftwardLine } from './direction.ts'
import { findTable } from './find-table.ts'
import { BULLET, joinLists, startOf } from './join-lists.ts'
import { joinTables, type TablePart } from './join-tables.ts'
import type { Row } from './segments.ts'
import { type Spacing, spacingOf, splitCells } from './split-cells.ts'
import { charsOf, endsWithHyphen, toInlines, wordsOf } from './to-inlines.ts'
import { writeCode } from './write-code.ts'

type Paragraph = {
  readonly kind: 'paragraph' | 'heading' | 'item' | 'code'
  readonly rows: readonly Row[]
  readonly size: number
  /** The left edge of its column. */
  readonly columnLeft: number
}
type Part = Paragraph | TablePart
type Body = {
  readonly size: number
  readonly isBold: boolean
  readonly isMono: boolean
  readonly spacing: Spacing
}

const NUMBER = /^(?:\d{1,3}[.)]|[a-z][.)]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})\))$/i
/** A heading is larger than the text by this factor, or bold; it is short. */
const MIN_HEADING_SCALE = 1.12
const MAX_HEADING_CHARS = 200
const MAX_HEADING_ROWS = 3
/** Lines further apart than this, in font sizes, belong to different paragraphs. */
const MAX_PITCH = 1.75
/** Code has empty lines. */
const MAX_CODE_PITCH = 4.5
/** A first line is indented by at least this, in font sizes. */
const MIN_INDENT = 0.8

/** The blocks of each page. Sizes are compared over the whole document. */
export function buildBlocks(pages: readonly (readonly (readonly Row[])[])[]): Block[][] {
  const body = findBody(pages.flat(2))
  const parts = joinTables(pages.map((regions) => regions.flatMap((region) => splitRegion(region, body))))
  const sizes = [
    ...new Set(parts.flat().flatMap((part) => (part.kind === 'heading' ? [part.size] : []))),
  ].sort((one, other) => other - one)
  return parts.map((page) => toBlocks(page, sizes))
}

function findBody(rows: readonly Row[]): Body {
  const counts = new Map<number, number>()
  let [bold, mono, all] = [0, 0, 0]
  for (const word of rows.flat().flatMap(({ table, words }) => table?.words ?? words)) {
    const chars = word.text.length
    counts.set(roundSize(word.size), (counts.get(roundSize(word.size)) ?? 0) + chars)
    all += chars
    if (word.isBold) bold += chars
    if (word.isMono) mono += chars
  }
  const [size = 1] = [...counts].sort((one, other) => other[1] - one[1])[0] ?? []
  return { size, isBold: bold > all / 2, isMono: mono > all / 2, spacing: spacingOf(rows.flat()) }
}

function roundSize(size: number): number {
  return Math.round(size * 2) / 2
}

function splitRegion(rows: readonly Row[], body: Body): Part[] {
  const parts: Part[] = []
  // Folded, because a region of a hostile page has too many rows for the arguments of a call.
  const right = rows.flat().reduce((max, segment) => Math.max(max, segment.right), 0)
  const left = rows.flat().reduce((min, segment) => Math.min(min, segment.left), right)
  let open: Row[] = []
  const isText = (row: Row) =>
    (!body.isMono && isAll(row, 'isMono')) || (isMarked(row) && splitCells(row, body.spacing).length <= 2)
  const options = { spacing: body.spacing, isText, cache: new Map() }
  const finish = () => {
    if (open.length > 0) parts.push({ ...classify(open, body), columnLeft: left })
    open = []
  }
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at]
    const table = findTable(rows, at, options)
    const drawn = row?.[0]?.table
    if (drawn) {
      finish()
      parts.push({ kind: 'table', block: drawn.block, left: row[0]?.left ?? 0 })
    } else if (table) {
      finish()
      parts.push({ kind: 'table', block: table.block, left: table.left })
      at += table.rows - 1
    } else if (row) {
      const previous = open.at(-1)
      if (previous && isNewParagraph(previous, row, open.length, { left, right, isMono: body.isMono }))
        finish()
      open.push(row)
    }
  }
  finish()
  return parts
}

function isNewParagraph(
  previous: Row,
  row: Row,
  count: number,
  column: { readonly left: number; readonly right: number; readonly isMono: boolean },
): boolean {
  const isLeft = isLeftwardLine(wordsOf(previous)) && isLeftwardLine(wordsOf(row))
  const [one, other] = isLeft ? [mirror(boxOf(previous)), mirror(boxOf(row))] : [boxOf(previous), boxOf(row)]
  const size = Math.max(one.size, other.size)
  const region = isLeft ? mirror(column) : column
  const pitch = other.baseline - one.baseline
  if (!region.isMono && isAll(previous, 'isMono') && isAll(row, 'isMono'))
    return pitch > MAX_CODE_PITCH * size || pitch < 0
  if (pitch > MAX_PITCH * size || pitch < 0) return true
  if (Math.max(one.size, other.size) > 1.1 * Math.min(one.size, other.size) && !isFragment(row)) return true
  if (isMarked(row) || isAll(previous, 'isBold') !== isAll(row, 'isBold')) return true
  if (isAll(previous, 'isMono') !== isAll(row, 'isMono')) return true
  const isShort = region.right - one.right > 0.2 * (region.right - region.left)
  if (isShort && /[.:!?]["”’)]?$/u.test(wordsOf(previous).at(-1)?.text ?? '')) return true
  // A hanging indent is part of its paragraph; the first line of the next one is not.
  const isIndented = other.left - one.left > MIN_INDENT * size && other.left - region.left < 5 * size
  return isIndented && (count > 1 || isShort) && !endsWithHyphen(previous)
}

/** Of text that runs to the left, where lines begin at the right. */
function mirror<Box extends { readonly left: number; readonly right: number }>(box: Box): Box {
  return { ...box, left: -box.right, right: -box.left }
}

/** A superscript or subscript on a line of its own. */
function isFragment(row: Row): boolean {
  return charsOf(row) <= 3
}

function boxOf(row: Row) {
  const main = row.reduce((best, segment) => (segment.words.length > best.words.length ? segment : best))
  return { left: row[0]?.left ?? 0, right: row.at(-1)?.right ?? 0, baseline: main.baseline, size: main.size }
}

function isAll(row: Row, style: 'isBold' | 'isMono'): boolean {
  return wordsOf(row).every((word) => word[style])
}

/** Whether a row begins with a bullet or a number of a list. */
function isMarked(row: Row): boolean {
  const [first = '', second] = wordsOf(row).map(({ text }) => text)
  return second !== undefined && (BULLET.test(first) || NUMBER.test(first))
}

function classify(rows: readonly Row[], body: Body): Omit<Paragraph, 'columnLeft'> {
  const [first = []] = rows
  const size = roundSize(boxOf(first).size)
  const chars = rows.reduce((sum, row) => sum + charsOf(row), 0)
  const text = rows
    .flatMap(wordsOf)
    .map((word) => word.text)
    .join(' ')
  const isLarge = size >= MIN_HEADING_SCALE * body.size
  const isBold = !body.isBold && size >= 0.95 * body.size && rows.every((row) => isAll(row, 'isBold'))
  const isShort = rows.length <= MAX_HEADING_ROWS && chars <= MAX_HEADING_CHARS && /\p{L}{2}/u.test(text)
  if (isShort && (isLarge || (isBold && !/[.,;:]$/.test(text)))) return { kind: 'heading', rows, size }
  if (isMarked(first)) return { kind: 'item', rows, size }
  const isCode = rows.length > 1 && rows.every((row) => isAll(row, 'isMono'))
  return { kind: isCode ? 'code' : 'paragraph', rows, size }
}

/** Adjacent items become lists. */
function toBlocks(parts: readonly Part[], headingSizes: readonly number[]): Block[] {
  const blocks: Block[] = []
  let items: Paragraph[] = []
  const finish = () => {
    for (const list of joinLists(items)) blocks.push(list)
    items = []
  }
  for (const part of parts) {
    if (part.kind === 'item' && !Number.isNaN(startOf(part.rows))) items.push(part)
    else {
      finish()
      blocks.push(toBlock(part, headingSizes))
    }
  }
  finish()
  return blocks
}

function toBlock(part: Part, headingSizes: readonly number[]): Block {
  switch (part.kind) {
    case 'table':
      return part.block
    case 'heading': {
      const level = Math.min(6, headingSizes.indexOf(part.size) + 1) as 1 | 2 | 3 | 4 | 5 | 6
      return { kind: 'heading', level, content: toInlines(part.rows) }
    }
    case 'code':
      return { kind: 'code', language: '', text: writeCode(part.rows) }
    default:
      return { kind: 'paragraph', content: toInlines(part.rows) }
  }
}
