import type { Row } from './order-lines.ts'

/** Rows at the top and at the bottom of a page that may be running headers and footers. */
const EDGE_ROWS = 2
/** A row is a running one if so many pages, and half of all, have the same there. */
const MIN_PAGES = 3

/** Pages without their running headers, footers and page numbers: numbers count as equal. */
export function dropRepeated(pages: readonly Row[][][]): Row[][][] {
  const counts = new Map<string, number>()
  const edges = pages.map((page) => {
    const rows = page.flat().filter((row) => row[0]?.words[0]?.turns === 0)
    const sorted = rows.toSorted((one, other) => baselineOf(one) - baselineOf(other))
    const keys = new Map<Row, string>()
    // A page of few rows, such as a slide, would lose all its text.
    if (sorted.length > 2 * EDGE_ROWS) {
      for (const row of sorted.slice(0, EDGE_ROWS)) keys.set(row, keyOf(row, 'top'))
      for (const row of sorted.slice(-EDGE_ROWS)) keys.set(row, keyOf(row, 'bottom'))
    }
    for (const key of new Set(keys.values())) counts.set(key, (counts.get(key) ?? 0) + 1)
    return keys
  })
  const min = Math.max(MIN_PAGES, pages.length / 2)
  return pages.map((page, at) =>
    page
      .map((region) => region.filter((row) => (counts.get(edges[at]?.get(row) ?? '') ?? 0) < min))
      .filter((region) => region.length > 0),
  )
}

function baselineOf(row: Row): number {
  return row[0]?.baseline ?? 0
}

/** A page number and a number of pages may change; rows of more numbers are content. */
const MAX_NUMBERS = 2

/** Text and height; a page number alone may be left or right. */
function keyOf(row: Row, edge: string): string {
  const text = row.flatMap(({ words }) => words.map((word) => word.text)).join(' ')
  const numbers = /\d+|\b[ivxlc]+\b/g
  const pattern = (text.match(numbers)?.length ?? 0) <= MAX_NUMBERS ? text.replace(numbers, '#') : text
  return `${edge} ${Math.round(baselineOf(row) / 4)} ${pattern}`
}
