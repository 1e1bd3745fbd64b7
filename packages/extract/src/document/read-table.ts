import { type ChildNode, Element, isTag } from 'domhandler'
import { getChildren, textContent } from 'domutils'
import type { Alignment, Block, Inline } from './block.ts'

/** Larger tables are layout, or too large to be read as a table. */
const MAX_COLUMNS = 64
const MAX_CELLS = 20_000

type Cell = { readonly element: Element; readonly blocks: readonly Block[] }

/** Reads a data table as a table, and a layout table as the blocks in its cells. */
export function readTable(table: Element, readChildren: (element: Element) => readonly Block[]): Block[] {
  const parts = partsOf(table)
  const rows = parts.rows
    .map((row) =>
      withoutGutter(cellsOf(row)).map((element): Cell => ({ element, blocks: readChildren(element) })),
    )
    .filter((cells) => cells.length > 0)
  const caption = [...parts.captions, ...parts.strays].flatMap((element) => [...readChildren(element)])
  const cells = rows.flat()
  const grid = cells.every(({ blocks }) => blocks.every(fitsCell)) ? toGrid(rows) : null
  if (grid === null) return [...caption, ...cells.flatMap(({ blocks }) => [...blocks])]
  const [head] = rows
  const alignments = (grid[0] ?? []).map((_, at) => alignmentOf(head?.[at]?.element))
  return [...caption, { kind: 'table', alignments, rows: grid }]
}

type Parts = {
  readonly rows: Element[]
  readonly captions: Element[]
  /** What a browser shows in front of the table, because it is in no cell. */
  readonly strays: Element[]
}

const NO_CELL = new Set(['col', 'colgroup', 'script', 'style', 'template'])

/** Finds the rows of a table; cells outside of one are a row, as in a browser. */
function partsOf(table: Element): Parts {
  const parts: Parts = { rows: [], captions: [], strays: [] }
  const visit = (parent: Element) => {
    let cells: ChildNode[] = []
    const endRow = () => {
      if (cells.length > 0) parts.rows.push(toElement('tr', cells))
      cells = []
    }
    for (const child of getChildren(parent)) {
      if (isTag(child) && isCell(child)) cells.push(child)
      else if (isTag(child) ? !NO_CELL.has(child.name) : textContent(child).trim() !== '') {
        endRow()
        addPart(parts, child, visit)
      }
    }
    endRow()
  }
  visit(table)
  return parts
}

function addPart(parts: Parts, child: ChildNode, visit: (parent: Element) => void): void {
  if (!isTag(child)) parts.strays.push(toElement('div', [child]))
  else if (child.name === 'tr') {
    parts.rows.push(child)
    const strays = getChildren(child).filter((part) => !(isTag(part) && isCell(part)))
    if (strays.some((part) => textContent(part).trim() !== '')) parts.strays.push(toElement('div', strays))
  } else if (child.name === 'caption') parts.captions.push(child)
  else if (/^(?:thead|tbody|tfoot)$/.test(child.name) || holds(child, 'tr')) visit(child)
  else parts.strays.push(child)
}

/** An element around nodes that keep their own place in the tree. */
function toElement(name: string, children: readonly ChildNode[]): Element {
  const element = new Element(name, {})
  element.children = [...children]
  return element
}

function isCell({ name }: Element): boolean {
  return name === 'td' || name === 'th'
}

function cellsOf(row: Element): Element[] {
  return getChildren(row).filter((cell): cell is Element => isTag(cell) && isCell(cell))
}

const GUTTER = /gutter|line-?n|blob-num/i

/** Drops the column of line numbers next to a code listing. */
function withoutGutter(cells: readonly Element[]): readonly Element[] {
  if (!cells.some((cell) => holds(cell, 'pre'))) return cells
  const isGutter = (cell: Element) =>
    /^[\d\s]*$/.test(textContent(cell)) && (holds(cell, 'pre') || GUTTER.test(cell.attribs.class ?? ''))
  const codes = cells.filter((cell) => !isGutter(cell))
  return codes.length > 0 ? codes : cells
}

function holds(element: Element, name: string): boolean {
  return getChildren(element).some((child) => isTag(child) && (child.name === name || holds(child, name)))
}

function fitsCell(block: Block): boolean {
  if (block.kind === 'paragraph' || block.kind === 'heading') return true
  return block.kind === 'list' && block.items.every((item) => item.every((part) => part.kind === 'paragraph'))
}

/** Arranges cells in columns, with empty cells for spans; null if it is not a data table. */
function toGrid(rows: readonly (readonly Cell[])[]): (readonly Inline[])[][] | null {
  if (rows.length > MAX_CELLS || rows.flat().length > MAX_CELLS) return null
  const grid: (readonly Inline[])[][] = rows.map(() => [])
  for (const [y, row] of rows.entries()) {
    let x = 0
    for (const { element, blocks } of row) {
      while (grid[y]?.[x] !== undefined) x += 1
      const [width, height] = [spanOf(element.attribs.colspan), spanOf(element.attribs.rowspan)]
      if (x + width > MAX_COLUMNS) return null
      for (const line of grid.slice(y, y + height)) {
        for (let column = x; column < x + width; column += 1) line[column] ??= []
      }
      const line = grid[y]
      if (line) line[x] = toLine(blocks)
      x += width
    }
  }
  const columns = grid.reduce((max, row) => Math.max(max, row.length), 0)
  if (columns < 2 || grid.length < 2 || columns * grid.length > MAX_CELLS) return null
  return grid.map((row) => Array.from({ length: columns }, (_, at) => row[at] ?? []))
}

function spanOf(value: string | undefined): number {
  const span = Number.parseInt(value ?? '1', 10)
  return span >= 1 ? Math.min(span, MAX_COLUMNS) : 1
}

/** Joins the content of a cell into one line. */
function toLine(blocks: readonly Block[]): readonly Inline[] {
  const lines = blocks.flatMap((block): (readonly Inline[])[] => {
    if (block.kind === 'list') return block.items.map((item) => toLine(item))
    return 'content' in block ? [block.content] : []
  })
  return lines
    .flatMap((line, at): Inline[] => (at === 0 ? [...line] : [{ kind: 'break' }, ...line]))
    .map((part): Inline => (part.kind === 'break' ? { kind: 'text', text: ' ' } : part))
}

function alignmentOf(cell: Element | undefined): Alignment {
  const declared =
    /text-align\s*:\s*(left|center|right)/i.exec(cell?.attribs.style ?? '')?.[1] ?? cell?.attribs.align
  const value = declared?.toLowerCase()
  return value === 'left' || value === 'center' || value === 'right' ? value : null
}
