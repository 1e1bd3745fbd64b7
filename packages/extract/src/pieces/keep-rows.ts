import type { Element } from 'domhandler'
import { findAround } from './choose-pieces.ts'
import type { PreparedPage } from './prepare-page.ts'

/** A row with more words is a part of the layout of a page. */
const MAX_ROW_WORDS = 80
/** A table with this share of its short rows kept is kept with all of them. */
const MIN_ROWS = 0.5

/** The short rows of which a part is kept, and those of a table of which most are, for tables that arrange content. */
export function findTornRows({ pieces, counts }: PreparedPage, isKept: readonly boolean[]): number[] {
  const rows = Map.groupBy(pieces.keys(), (at) => findAround(pieces[at]?.block ?? null, 'tr'))
  const tables = new Map<Element | null, { readonly members: number[]; readonly isKept: boolean }[]>()
  for (const [row, members] of rows) {
    if (row === null) continue
    const words = members.reduce((sum, at) => sum + (counts[at] ?? 0), 0)
    if (words > MAX_ROW_WORDS) continue
    const table = findAround(pieces[members[0] ?? 0]?.block ?? null, 'table')
    const known = tables.get(table) ?? []
    known.push({ members, isKept: members.some((at) => isKept[at]) })
    tables.set(table, known)
  }
  return [...tables.values()].flatMap((short) => {
    const retained = short.filter((row) => row.isKept)
    return (retained.length >= MIN_ROWS * short.length ? short : retained).flatMap(({ members }) => members)
  })
}
