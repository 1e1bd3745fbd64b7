/** Weights of terms; a unit vector, or empty. */
export type TermVector = ReadonlyMap<string, number>

/** Scripts without spaces between words. */
export const RUN_TOGETHER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u

/** In most inflected languages, endings start after this many letters. */
const STEM_LENGTH = 6

/**
 * Each sentence as its term weights: high for terms that are frequent in it (logarithmic) and rare in the
 * others (TF-IDF).
 */
export function toTermVectors(sentences: readonly string[]): {
  readonly vectors: readonly TermVector[]
  /** The same weighting for another text, such as a title. */
  readonly vectorOf: (text: string) => TermVector
} {
  const counts = sentences.map((sentence) => countTerms(sentence))
  const spread = new Map<string, number>()
  for (const terms of counts) for (const term of terms.keys()) spread.set(term, (spread.get(term) ?? 0) + 1)
  const weigh = (terms: ReadonlyMap<string, number>): TermVector => {
    const weights = new Map<string, number>()
    for (const [term, count] of terms) {
      const idf = Math.log((sentences.length + 1) / ((spread.get(term) ?? 0) + 0.5))
      if (idf > 0) weights.set(term, (1 + Math.log(count)) * idf)
    }
    return normalise(weights)
  }
  return { vectors: counts.map(weigh), vectorOf: (text) => weigh(countTerms(text)) }
}

/** Cosine of two unit vectors: 0 if they share nothing, 1 if they are equal. */
export function similarity(one: TermVector, other: TermVector): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one]
  let sum = 0
  for (const [term, weight] of small) sum += weight * (large.get(term) ?? 0)
  return sum
}

/** The normalised sum of the vectors. */
export function centroidOf(vectors: readonly TermVector[]): TermVector {
  const sums = new Map<string, number>()
  for (const vector of vectors)
    for (const [term, weight] of vector) sums.set(term, (sums.get(term) ?? 0) + weight)
  return normalise(sums)
}

function countTerms(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

function normalise(weights: ReadonlyMap<string, number>): TermVector {
  let sum = 0
  for (const weight of weights.values()) sum += weight * weight
  const length = Math.sqrt(sum)
  return new Map([...weights].map(([term, weight]) => [term, weight / length]))
}

/** The words of a text without their endings; scripts without spaces are segmented by a dictionary. */
export function termsOf(text: string): string[] {
  const lower = text.normalize('NFKC').toLowerCase()
  return wordsIn(lower).map((word) => word.slice(0, STEM_LENGTH))
}

function wordsIn(text: string): string[] {
  if (!RUN_TOGETHER.test(text)) return text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}
