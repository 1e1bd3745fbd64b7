import type { Block } from '../extract/document/block.ts'
import { findTable } from './find-table.ts'
import type { Row } from './segments.ts'
import { type Spacing, spacingOf, splitCells } from './split-cells.ts'
import { charsOf, endsWithHyphen, toInlines, wordsOf } from './to-inlines.ts'

type Paragraph = {
  readonly kind: 'paragraph' | 'heading' | 'item' | 'code'
  readonly rows: readonly Row[]
  readonly size: number
}
type Part = Paragraph | { readonly kind: 'table'; readonly block: Block }
type Body = {
  readonly size: number
  readonly isBold: boolean
  readonly isMono: boolean
  readonly spacing: Spacing
}

const BULLET = /^[•‣◦▪●○■□∙·⁃–*\uF0B7\uF0A7\uF0D8-]$/u
const NUMBER = /^(?:\d{1,3}[.)]|[a-z][.)]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})\))$/i
/** A heading is larger than the text by this factor, or bold; it is short. */
const MIN_HEADING_SCALE = 1.12
const MAX_HEADING_CHARS = 200
const MAX_HEADING_ROWS = 3
/** Lines further apart than this, in font sizes, belong to different paragraphs. */
const MAX_PITCH = 1.75
/** A first line is indented by at least this, in font sizes. */
const MIN_INDENT = 0.8

/** The blocks of each page. Sizes are compared over the whole document. */
export function buildBlocks(pages: readonly (readonly (readonly Row[])[])[]): Block[][] {
  const body = findBody(pages.flat(2))
  const parts = pages.map((regions) => regions.flatMap((region) => splitRegion(region, body)))
  const sizes = [
    ...new Set(parts.flat().flatMap((part) => (part.kind === 'heading' ? [part.size] : []))),
  ].sort((one, other) => other - one)
  return parts.map((page) => joinLists(page).map((part) => toBlock(part, sizes)))
}

function findBody(rows: readonly Row[]): Body {
  const counts = new Map<number, number>()
  let [bold, mono, all] = [0, 0, 0]
  for (const word of rows.flatMap(wordsOf)) {
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
  const finish = () => {
    if (open.length > 0) parts.push(classify(open, body))
    open = []
  }
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at]
    const table = findTable(rows, at, { spacing: body.spacing, isText })
    const drawn = row?.[0]?.table
    if (drawn) {
      finish()
      parts.push({ kind: 'table', block: drawn })
    } else if (table) {
      finish()
      parts.push({ kind: 'table', block: table.block })
      at += table.rows - 1
    } else if (row) {
      const previous = open.at(-1)
      if (previous && isNewParagraph(previous, row, open.length, { left, right })) finish()
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
  region: { readonly left: number; readonly right: number },
): boolean {
  const [one, other] = [boxOf(previous), boxOf(row)]
  const size = Math.max(one.size, other.size)
  if (other.baseline - one.baseline > MAX_PITCH * size || other.baseline < one.baseline) return true
  if (Math.max(one.size, other.size) > 1.1 * Math.min(one.size, other.size) && !isFragment(row)) return true
  if (isMarked(row) || isAll(previous, 'isBold') !== isAll(row, 'isBold')) return true
  if (isAll(previous, 'isMono') !== isAll(row, 'isMono')) return true
  const isShort = region.right - one.right > 0.2 * (region.right - region.left)
  if (isShort && /[.:!?]["”’)]?$/u.test(wordsOf(previous).at(-1)?.text ?? '')) return true
  // A hanging indent is part of its paragraph; the first line of the next one is not.
  const isIndented = other.left - one.left > MIN_INDENT * size && other.left - region.left < 5 * size
  return isIndented && (count > 1 || isShort) && !endsWithHyphen(previous)
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

function classify(rows: readonly Row[], body: Body): Paragraph {
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

type Listed = Part | { readonly kind: 'list'; readonly start: number | null; readonly items: Paragraph[] }

/** Adjacent items as one list; a single number is no list. */
function joinLists(parts: readonly Part[]): Listed[] {
  const joined: Listed[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind !== 'item') joined.push(part)
    else {
      const marker = wordsOf(part.rows[0] ?? [])[0]?.text ?? ''
      const start = BULLET.test(marker) ? null : Number(/\d+/.exec(marker)?.[0] ?? Number.NaN)
      // Markdown has no lists by letter.
      if (Number.isNaN(start)) joined.push({ ...part, kind: 'paragraph' })
      else if (last?.kind === 'list' && (last.start === null) === (start === null)) last.items.push(part)
      else joined.push({ kind: 'list', start, items: [part] })
    }
  }
  return joined
}

function toBlock(part: Listed, headingSizes: readonly number[]): Block {
  switch (part.kind) {
    case 'table':
      return part.block
    case 'list': {
      const items = part.items.map(({ rows }): Block[] => [
        { kind: 'paragraph', content: toInlines(rows, 1) },
      ])
      return { kind: 'list', start: part.start, isTight: true, items }
    }
    case 'heading': {
      const level = Math.min(6, headingSizes.indexOf(part.size) + 1) as 1 | 2 | 3 | 4 | 5 | 6
      return { kind: 'heading', level, content: toInlines(part.rows) }
    }
    case 'code': {
      const lines = part.rows.map((row) =>
        wordsOf(row)
          .map(({ text }) => text)
          .join(' '),
      )
      return { kind: 'code', language: '', text: lines.join('\n') }
    }
    default:
      return { kind: 'paragraph', content: toInlines(part.rows) }
  }
}
