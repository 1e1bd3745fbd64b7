import type { Element } from 'domhandler'
import type { PageModel } from '../page-model.ts'
import { checkEach, fail, type Outcome, pass, type Rule } from '../rule.ts'
import { ancestorsOf, childrenOf, descendantsOf, token, wordsOf } from '../tree/page-tree.ts'

const TABLES = new Set(['table', 'grid', 'treegrid'])
const HEADERS = new Set(['columnheader', 'rowheader'])
const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader'])
/** The HTML limit on columns; larger spans are clamped (HTML Standard, section 4.9.11). */
const MAX_COLSPAN = 1_000
const MAX_ROWSPAN = 100

function tableOf(element: Element, page: PageModel): Element | null {
  for (const one of ancestorsOf(element)) if (TABLES.has(page.roleOf(one) ?? '')) return one
  return null
}

/** A cell and the grid slots that it covers. */
type Placed = {
  readonly cell: Element
  readonly row: number
  readonly column: number
  readonly rows: number
  readonly columns: number
}

/** Assigns the cells of a table to grid slots, including spans (HTML Standard, section 4.9.12.1). */
function placeCells(table: Element, page: PageModel): readonly Placed[] {
  const placed: Placed[] = []
  const taken = new Set<string>()
  rowsOf(table, page).forEach((rowElement, row) => {
    let column = 0
    for (const cell of cellsOf(rowElement, page)) {
      while (taken.has(`${row},${column}`)) column += 1
      const columns = spanOf(cell, 'colspan', MAX_COLSPAN)
      const rows = spanOf(cell, 'rowspan', MAX_ROWSPAN)
      placed.push({ cell, row, column, rows, columns })
      for (let down = 1; down < rows; down += 1)
        for (let right = 0; right < columns; right += 1) taken.add(`${row + down},${column + right}`)
      column += columns
    }
  })
  return placed
}

function rowsOf(table: Element, page: PageModel): readonly Element[] {
  return childrenOf(table).flatMap((child) => {
    if (TABLES.has(page.roleOf(child) ?? '')) return []
    return page.roleOf(child) === 'row' || child.name === 'tr' ? [child] : rowsOf(child, page)
  })
}

function cellsOf(row: Element, page: PageModel): readonly Element[] {
  return childrenOf(row).flatMap((child) => {
    if (TABLES.has(page.roleOf(child) ?? '')) return []
    const isCell = CELLS.has(page.roleOf(child) ?? '') || child.name === 'td' || child.name === 'th'
    return isCell ? [child] : cellsOf(child, page)
  })
}

function spanOf(cell: Element, attribute: string, max: number): number {
  const span = Number.parseInt(cell.attribs[attribute] ?? cell.attribs[`aria-${attribute}`] ?? '1', 10)
  return span >= 1 ? Math.min(span, max) : 1
}

function* checkHeaders(page: PageModel): Generator<Outcome> {
  const cache = new Map<Element, readonly Placed[]>()
  for (const element of page.elements) {
    if (!HEADERS.has(page.roleOf(element) ?? '') || !page.isExposed(element) || !page.isVisible(element))
      continue
    const table = tableOf(element, page)
    if (!table || !page.isExposed(table)) continue
    const cells = cache.get(table) ?? placeCells(table, page)
    cache.set(table, cells)
    const header = cells.find(({ cell }) => cell === element)
    if (header)
      yield cells.some((one) => isAssigned(one, header))
        ? pass(element)
        : fail(element, 'No cell of the table is assigned to this header.')
  }
}

/**
 * Whether a header applies to a cell: by the cell's `headers` attribute, otherwise by the cell being below or
 * next to it.
 */
function isAssigned({ cell, row, column, rows, columns }: Placed, header: Placed): boolean {
  if (cell === header.cell) return false
  const headers = wordsOf(cell, 'headers')
  if (headers.length > 0) return headers.includes(header.cell.attribs.id ?? '')
  const isBelow =
    row > header.row && column < header.column + header.columns && header.column < column + columns
  const isBeside = column > header.column && row < header.row + header.rows && header.row < row + rows
  const isOfRow = /^row/.test(token(header.cell, 'scope')) || token(header.cell, 'role') === 'rowheader'
  const isOfColumn = /^col/.test(token(header.cell, 'scope')) || token(header.cell, 'role') === 'columnheader'
  if (isOfRow) return isBeside
  if (isOfColumn) return isBelow
  // A header without a scope also applies to the data cells of its row.
  return isBelow || (isBeside && cell.name === 'td')
}

function findReferencesIssue(cell: Element, page: PageModel): string {
  const table = tableOf(cell, page)
  const inside = new Map([...(table ? descendantsOf(table) : [])].map((one) => [one.attribs.id, one]))
  for (const id of wordsOf(cell, 'headers')) {
    const target = inside.get(id)
    if (!target) return `No cell of this table has the id "${id.slice(0, 60)}".`
    if (target === cell) return 'The cell refers to itself as its header.'
    if (!HEADERS.has(page.roleOf(target) ?? ''))
      return `The element "${id.slice(0, 60)}" is not a header cell.`
  }
  return ''
}

export const TABLE_RULES: readonly Rule[] = [
  {
    id: 'th-has-data-cells',
    impact: 'serious',
    criteria: ['1.3.1'],
    act: ['d0f69e'],
    help: 'Table headers must apply to cells',
    check: checkHeaders,
  },
  {
    id: 'td-headers-attr',
    impact: 'serious',
    criteria: ['1.3.1'],
    act: ['a25f45'],
    help: 'The headers attribute must refer to header cells of the same table',
    check: checkEach((element, page) => {
      if ((element.name !== 'td' && element.name !== 'th') || wordsOf(element, 'headers').length === 0)
        return false
      const table = tableOf(element, page)
      return table?.name === 'table' && page.isExposed(table) && page.isVisible(table)
    }, findReferencesIssue),
  },
  {
    id: 'scope-attr-valid',
    impact: 'moderate',
    criteria: [],
    act: [],
    help: 'scope must have one of its four values',
    check: checkEach(
      (element) => element.name === 'th' && element.attribs.scope !== undefined,
      (element) =>
        /^(?:row|col|rowgroup|colgroup)$/.test(token(element, 'scope'))
          ? ''
          : 'scope must be row, col, rowgroup or colgroup.',
    ),
  },
]
