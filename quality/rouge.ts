export type Article = {
  readonly paragraphs: readonly string[]
  readonly sentences: readonly string[]
  readonly title: string | null
  readonly lang: string | null
  readonly description: string
}

export function toWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}

/**
 * ROUGE-n as F1 (Lin 2004): the n-grams that both texts contain, each counted as often as in the text that
 * has fewer of it.
 */
export function rougeOf(words: readonly string[], wanted: readonly string[], size: number): number {
  const [own, other] = [countRuns(words, size), countRuns(wanted, size)]
  let common = 0
  for (const [run, count] of own) common += Math.min(count, other.get(run) ?? 0)
  const all = Math.max(0, words.length - size + 1) + Math.max(0, wanted.length - size + 1)
  return all === 0 ? 0 : (2 * common) / all
}

function countRuns(words: readonly string[], size: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (let at = 0; at + size <= words.length; at++) {
    const run = words.slice(at, at + size).join(' ')
    counts.set(run, (counts.get(run) ?? 0) + 1)
  }
  return counts
}

/** Eight words in a row do not repeat by chance. */
const COPIED_WORDS = 8

/** Whether the beginning of a description is copied from the text: then it is not a summary. */
export function isCopied(description: string, text: string): boolean {
  const start = toWords(description).slice(0, COPIED_WORDS).join(' ')
  return ` ${toWords(text).join(' ')} `.includes(` ${start} `)
}

/** The best score that choosing one sentence could reach. */
export function findBestSentence(sentences: readonly string[], description: string): string {
  const wanted = toWords(description)
  let [best, max] = ['', -1]
  for (const sentence of sentences) {
    const score = rougeOf(toWords(sentence), wanted, 1)
    if (score > max) [best, max] = [sentence, score]
  }
  return best
}

/** The same choice in every run, by a linear congruential generator (Numerical Recipes, section 7.1). */
export function pickRandom(sentences: readonly string[], count: number): string[] {
  let seed = sentences.length
  return Array.from({ length: count }, () => {
    seed = (1_664_525 * seed + 1_013_904_223) % 2 ** 32
    return sentences[Math.floor((seed / 2 ** 32) * sentences.length)] ?? ''
  })
}
