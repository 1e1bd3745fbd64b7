import { indexTermsOf } from './index-terms.ts'

/** Weight of each term of a query: rare ones weigh more; the sum is 1. */
export type TermWeights = ReadonlyMap<string, number>

/** @param texts the terms of each text that may answer the query. */
export function weighTerms(terms: readonly string[], texts: readonly ReadonlySet<string>[]): TermWeights {
  return weighByCount(terms, texts.length, (term) => texts.filter((text) => text.has(term)).length)
}

/** @param countOf how many of the texts contain a term. */
export function weighByCount(
  terms: readonly string[],
  texts: number,
  countOf: (term: string) => number,
): TermWeights {
  const raw = terms.map((term) => Math.log(1 + (texts + 1) / (countOf(term) + 0.5)))
  const sum = raw.reduce((total, weight) => total + weight, 0)
  return new Map(terms.map((term, at) => [term, (raw[at] ?? 0) / sum]))
}

/** The weighted share of a query that occurs in a text, 0 to 1. */
export function coverageOf(weights: TermWeights, text: string | ReadonlySet<string>): number {
  const terms = typeof text === 'string' ? new Set(indexTermsOf(text)) : text
  let sum = 0
  for (const [term, weight] of weights) if (terms.has(term)) sum += weight
  return sum
}
