import { writeText } from '../document/write-text.ts'
import type { TableBlock } from './segments.ts'

export type TablePart = {
  readonly kind: 'table'
  readonly block: TableBlock
  readonly left: number
}

/** The left edges of one table on two pages differ by less than this, in points. */
const MAX_SHIFT = 8

/** A table at the top of a page goes on with the one that ends the page before, in which all of its rows are then. */
export function joinTables<Part extends { readonly kind: string }>(
  pages: readonly (readonly (Part | TablePart)[])[],
): (Part | TablePart)[][] {
  const joined: (Part | TablePart)[][] = []
  let open: (Part | TablePart)[] | undefined
  for (const page of pages) {
    const [first, ...others] = page
    const last = open?.at(-1)
    if (open && first && last && isTable(first) && isTable(last) && isOn(last, first)) {
      open[open.length - 1] = join(last, first)
      joined.push(others)
      if (others.length > 0) open = others
    } else {
      open = [...page]
      joined.push(open)
    }
  }
  return joined
}

function isTable(part: { readonly kind: string }): part is TablePart {
  return part.kind === 'table'
}

function isOn(one: TablePart, other: TablePart): boolean {
  const columns = ({ block }: TablePart) => block.alignments.length
  return columns(one) === columns(other) && Math.abs(one.left - other.left) < MAX_SHIFT
}

function join(one: TablePart, other: TablePart): TablePart {
  const rows = other.block.rows
  const write = (row: (typeof rows)[number] | undefined) =>
    writeText([{ kind: 'table', alignments: [], rows: row ? [row] : [] }])
  // The head may be repeated on each page.
  const added = write(rows[0]) === write(one.block.rows[0]) ? rows.slice(1) : rows
  return { ...one, block: { ...one.block, rows: [...one.block.rows, ...added] } }
}
