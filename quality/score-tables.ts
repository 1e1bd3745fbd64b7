export type Score = { hits: number; found: number; wanted: number }

type Table = readonly (readonly string[])[]

/** Each table of the truth against the table that has the most of its cells; a cell counts by its place and text. */
export function scoreTables(found: readonly Table[], wanted: readonly Table[]): Score {
  const left = found.map(cellsOf)
  const score: Score = { hits: 0, found: left.reduce((sum, cells) => sum + cells.length, 0), wanted: 0 }
  for (const table of wanted) {
    const cells = cellsOf(table)
    const hits = left.map((other) => scoreBag(other, cells).hits)
    const best = hits.indexOf(Math.max(...hits))
    score.wanted += cells.length
    if (best < 0) continue
    score.hits += hits[best] ?? 0
    left.splice(best, 1)
  }
  return score
}

function cellsOf(rows: Table): string[] {
  return rows.flatMap((row, y) => row.flatMap((text, x) => (text === '' ? [] : [`${y} ${x} ${text}`])))
}

export function scoreBag(found: readonly string[], wanted: readonly string[]): Score {
  const left = new Map<string, number>()
  for (const key of wanted) left.set(key, (left.get(key) ?? 0) + 1)
  let hits = 0
  for (const key of found) {
    const count = left.get(key) ?? 0
    if (count > 0) hits += 1
    left.set(key, count - 1)
  }
  return { hits, found: found.length, wanted: wanted.length }
}

export function f1Of({ hits, found, wanted }: Score): number {
  return found + wanted === 0 ? 1 : (2 * hits) / (found + wanted)
}

export function addScore(total: Score, { hits, found, wanted }: Score): void {
  total.hits += hits
  total.found += found
  total.wanted += wanted
}
