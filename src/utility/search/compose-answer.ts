import { indexTermsOf, queryTermsOf, withoutS } from '../../engines/summary/index-terms.ts'
import { splitSentences } from '../../engines/summary/split-sentences.ts'
import { similarity, toTermVectors } from '../../engines/summary/term-vectors.ts'
import { coverageOf, weighTerms } from '../../engines/summary/term-weights.ts'
import type { SearchHit } from './search-backend.ts'

export type ComposedAnswer = {
  readonly text: string
  /** Numbers of the quoted results, from 1, ascending. */
  readonly citations: readonly number[]
}

const MAX_SENTENCES = 3
const MIN_CHARS = 20
const MAX_CHARS = 400
/** A sentence that covers less than half of the query answers something else. */
const MIN_COVERAGE = 0.5
/** Similarity from which two sentences count as duplicates. */
const MAX_ALIKE = 0.6

/** The job of the endpoint. */
export function composeAnswer(provided: {
  readonly query: string
  readonly hits: readonly SearchHit[]
}): ComposedAnswer | null {
  const { query, hits } = provided
  const terms = [...new Set(queryTermsOf(query).map(withoutS))]
  const texts = hits.map(({ title, content }) => comparedTermsOf(`${title} ${content}`))
  const weights = weighTerms(terms, texts)
  const sentences = hits.flatMap((hit, at) =>
    hit.content
      .split('\n')
      .flatMap((line) => splitSentences(line, null))
      .filter(isStatement)
      .map((text) => ({
        text,
        citation: at + 1,
        coverage: coverageOf(weights, comparedTermsOf(text)),
        rank: hit.score,
      })),
  )
  const fitting = sentences
    .filter(({ coverage }) => coverage >= MIN_COVERAGE)
    .map((sentence, order) => ({ ...sentence, order, worth: sentence.coverage * (1 + sentence.rank) }))
    .sort((one, other) => other.worth - one.worth || one.order - other.order)
  const { vectorOf } = toTermVectors(sentences.map(({ text }) => text))
  const chosen: typeof fitting = []
  for (const sentence of fitting) {
    if (chosen.length === MAX_SENTENCES) break
    const vector = vectorOf(sentence.text)
    if (chosen.every(({ text }) => similarity(vectorOf(text), vector) < MAX_ALIKE)) chosen.push(sentence)
  }
  if (chosen.length === 0) return null
  return {
    text: chosen.map(({ text, citation }) => cite(text, citation)).join(' '),
    citations: [...new Set(chosen.map(({ citation }) => citation))].sort((one, other) => one - other),
  }
}

function comparedTermsOf(text: string): ReadonlySet<string> {
  return new Set(indexTermsOf(text).map(withoutS))
}

/** Questions, headings and truncated sentences are not answers. */
function isStatement(text: string): boolean {
  return text.length >= MIN_CHARS && text.length <= MAX_CHARS && /[.!。！][)"'”’」]*$/.test(text)
}

/** Inserts the citation before the final punctuation, as is usual: "Tides differ [1]." */
function cite(text: string, citation: number): string {
  return text.replace(/([.!。！][)"'”’」]*)$/, ` [${citation}]$1`)
}
