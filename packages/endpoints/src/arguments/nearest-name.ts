/**
 * The known name within two edits, and half as many as the longer one has letters; else the known name that is a part
 * of it, as `url` of `page_url`; else null.
 */
export function nearestName(given: string, known: Iterable<string>): string | null {
  let nearest: string | null = null
  let fewest = 3
  for (const name of known) {
    if (Math.abs(name.length - given.length) > 2) continue
    const edits = editDistance(given.toLowerCase(), name.toLowerCase())
    if (edits < fewest && edits * 2 <= Math.max(name.length, given.length)) {
      fewest = edits
      nearest = name
    }
  }
  const parts = given.toLowerCase().split(/[_-]/)
  return nearest ?? [...known].find((name) => parts.includes(name.toLowerCase())) ?? null
}

/** Levenshtein distance: insertions, deletions and replacements of one character. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replacement = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replacement))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
