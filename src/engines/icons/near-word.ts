/**
 * Whether a word may be a misspelling of another: one edit from four letters on, two from eight. An edit
 * inserts, deletes or replaces a letter, or swaps two neighbours (restricted Damerau-Levenshtein distance).
 */
export function isNearWord(typed: string, indexed: string): boolean {
  const max = typed.length >= 8 ? 2 : typed.length >= 4 ? 1 : 0
  if (max === 0 || Math.abs(typed.length - indexed.length) > max) return false
  let [before, previous]: [number[], number[]] = [
    [],
    Array.from({ length: indexed.length + 1 }, (_, at) => at),
  ]
  for (let row = 1; row <= typed.length; row++) {
    const current = [row]
    for (let column = 1; column <= indexed.length; column++) {
      const isSame = typed[row - 1] === indexed[column - 1]
      const isSwapped = typed[row - 1] === indexed[column - 2] && typed[row - 2] === indexed[column - 1]
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    if (Math.min(...current) > max) return false
    ;[before, previous] = [previous, current]
  }
  return (previous[indexed.length] ?? 0) <= max
}
