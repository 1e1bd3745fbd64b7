/** Splits text into lower-case words: runs of Unicode letters, marks, digits and underscores. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? []
}

export function countWords(text: string): number {
  return wordsOf(text).length
}

/** The number of occurrences of each word in a text. */
export type WordBag = { readonly counts: ReadonlyMap<string, number>; readonly total: number }

export function toWordBag(text: string): WordBag {
  const counts = new Map<string, number>()
  const words = wordsOf(text)
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { counts, total: words.length }
}

/**
 * Word similarity of two texts, 0 to 1: the harmonic mean of the share of each that the other covers (F1).
 */
export function similarityOf(one: WordBag, other: WordBag): number {
  if (one.total + other.total === 0) return 1
  let overlap = 0
  for (const [word, count] of one.counts) overlap += Math.min(count, other.counts.get(word) ?? 0)
  return (2 * overlap) / (one.total + other.total)
}
