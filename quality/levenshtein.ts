/** The distance of Levenshtein: characters that are inserted, deleted or replaced. */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, character] of [...one].entries()) {
    const above = row
    row = [at + 1]
    for (let column = 0; column < other.length; column += 1)
      row.push(
        Math.min(
          (row[column] ?? 0) + 1,
          (above[column + 1] ?? 0) + 1,
          (above[column] ?? 0) + (other[column] === character ? 0 : 1),
        ),
      )
  }
  return row.at(-1) ?? 0
}
