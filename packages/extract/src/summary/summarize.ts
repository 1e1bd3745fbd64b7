import {
  centroidOf,
  similarity,
  type TermVector,
  termsOf,
  toTermVectors,
} from '@tollbook/flow/text/term-vectors'
import { isProse, MIN_TERMS } from './is-prose.ts'
import { rankCentrality } from './rank-centrality.ts'
import { splitSentences } from './split-sentences.ts'

export type SummaryOptions = {
  readonly title: string | null
  /** BCP 47. */
  readonly lang: string | null
  /** Requested number of sentences, at least 1. */
  readonly sentences: number
}

export type ChosenSentence = {
  /** Index among all sentences of the text, from 0. */
  readonly index: number
  readonly text: string
  /** 0 to 1; comparable only within one text. */
  readonly score: number
}

export type Summary = {
  /** In the order of the text. */
  readonly chosen: readonly ChosenSentence[]
  readonly sentenceCount: number
}

/**
 * The cost of the graph is quadratic in the sentences. At most 400 are compared: the first ones and the most
 * typical ones.
 */
const MAX_COMPARED = 400
const FIRST_COMPARED = 100
/** Longer ones are lists without a full stop. */
const MAX_TERMS = 80
/** Similarity from which a sentence repeats a chosen one. */
const REPEATED = 0.9
/** Longer ones are cut: no language needs more for a sentence, and a text without any full stop is one sentence. */
const MAX_SENTENCE_LENGTH = 5_000
/**
 * The weights of the score, the repetition penalty, the position at which the position score is halved, and
 * the number of terms of a typical sentence; tuned on the development split of WCXB.
 */
const WEIGHTS = {
  centrality: 0.16,
  title: 0.5,
  position: 0.14,
  length: 0.2,
  repetition: 0.24,
  decay: 4,
  terms: 15,
}

/**
 * Chooses the sentences that best represent a text: similar to the other sentences and to the title, early,
 * neither short nor long, and different from each other. Deterministic.
 * @param paragraphs in the order of the text; a sentence never spans two
 */
export function summarize(
  paragraphs: readonly string[],
  { title, lang, sentences: maxSentences }: SummaryOptions,
  weights: typeof WEIGHTS = WEIGHTS,
): Summary {
  const all = paragraphs
    .flatMap((paragraph) => splitSentences(paragraph, lang))
    .map((sentence) => sentence.slice(0, MAX_SENTENCE_LENGTH))
  const usable = all.map((text, index) => ({ text, index })).filter(({ text }) => isUsable(text))
  const prose = usable.filter(({ text }) => isProse(text))
  const labels = usable.length > 0 ? usable : all.map((text, index) => ({ text, index }))
  const candidates = prose.length > 0 ? prose : labels
  const { vectors, vectorOf } = toTermVectors(candidates.map(({ text }) => text))
  const compared = choose(vectors)
  const ranked = rankCentrality(compared.map((index) => vectors[index] ?? new Map()))
  const maxCentrality = Math.max(...ranked, Number.MIN_VALUE)
  const titleVector = vectorOf(title ?? '')
  const scored = compared.flatMap((at, order) => {
    const [candidate, vector] = [candidates[at], vectors[at]]
    if (!candidate || !vector) return []
    const score =
      (weights.centrality * (ranked[order] ?? 0)) / maxCentrality +
      weights.title * similarity(titleVector, vector) +
      (weights.position * weights.decay) / (weights.decay + at) +
      weights.length * fitOf(termsOf(candidate.text).length, weights.terms)
    return [{ ...candidate, vector, score }]
  })
  const chosen = pickDifferent(scored, maxSentences, weights.repetition)
  return {
    chosen: chosen
      .sort((one, other) => one.index - other.index)
      .map(({ index, text, score }) => ({ index, text, score: Math.round(score * 1e4) / 1e4 })),
    sentenceCount: all.length,
  }
}

function isUsable(text: string): boolean {
  const { length } = termsOf(text)
  return length >= MIN_TERMS && length <= MAX_TERMS
}

/**
 * Symmetric on a logarithmic scale: the same for twice and half the typical number of terms; small counts
 * differ less than their ratio suggests.
 */
function fitOf(terms: number, best: number): number {
  const farthest = Math.log((MAX_TERMS + MIN_TERMS) / (best + MIN_TERMS))
  return Math.max(0, 1 - Math.abs(Math.log((terms + MIN_TERMS) / (best + MIN_TERMS))) / farthest)
}

/** Ascending indices of the sentences that are compared with each other. */
function choose(vectors: readonly TermVector[]): number[] {
  const all = vectors.map((_, index) => index)
  if (all.length <= MAX_COMPARED) return all
  const centroid = centroidOf(vectors)
  const typical = all
    .slice(FIRST_COMPARED)
    .map((index) => ({ index, near: similarity(centroid, vectors[index] ?? new Map()) }))
    .sort((one, other) => other.near - one.near || one.index - other.index)
    .slice(0, MAX_COMPARED - FIRST_COMPARED)
    .map(({ index }) => index)
  return [...all.slice(0, FIRST_COMPARED), ...typical].sort((one, other) => one - other)
}

type Scored = ChosenSentence & { readonly vector: TermVector }

/**
 * Maximal marginal relevance (Carbonell and Goldstein 1998): the best sentence first, then repeatedly the
 * best one that adds new content.
 */
function pickDifferent(scored: readonly Scored[], maxSentences: number, repetition: number): Scored[] {
  let left = [...scored]
  const similarityToChosen = new Map(left.map((sentence) => [sentence, 0]))
  const chosen: Scored[] = []
  const marginalScore = (sentence: Scored) =>
    sentence.score - repetition * (similarityToChosen.get(sentence) ?? 0)
  while (chosen.length < maxSentences && left.length > 0) {
    // The first of equal scores wins, so ties are broken by position in the text.
    const best = left.reduce((one, other) => (marginalScore(other) > marginalScore(one) ? other : one))
    chosen.push(best)
    for (const sentence of left)
      similarityToChosen.set(
        sentence,
        Math.max(similarityToChosen.get(sentence) ?? 0, similarity(best.vector, sentence.vector)),
      )
    left = left.filter((sentence) => sentence !== best && (similarityToChosen.get(sentence) ?? 0) < REPEATED)
  }
  return chosen
}
