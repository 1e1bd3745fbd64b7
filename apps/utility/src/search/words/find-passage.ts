import { splitSentences } from '@tollbook/extract/summary/split-sentences'
import { indexTermsOf } from '@tollbook/flow/text/index-terms'
import { coverageOf, type TermWeights } from '@tollbook/flow/text/term-weights'

export type Passage = {
  readonly text: string
  /** Score of the most relevant sentence; 0 to 1. */
  readonly coverage: number
}

/** About three sentences; the length of snippets in search engines. */
const MAX_CHARS = 500
/** Sentences after this many are rarely relevant, and splitting costs time. */
const MAX_SENTENCES = 2_000

/** The sentences of a page most relevant to a query, with their neighbours as far as there is space. */
export function findPassage(content: string, weights: TermWeights): Passage {
  const placed = content
    .split('\n')
    .flatMap((text, line) => splitSentences(text, null).map((sentence) => ({ sentence, line })))
    .slice(0, MAX_SENTENCES)
  const sentences = placed.map(({ sentence }) => sentence)
  const coverages = sentences.map((sentence) => coverageOf(weights, new Set(indexTermsOf(sentence))))
  // Neighbours count half, so that a heading alone does not outrank the paragraph below it.
  const worths = coverages.map((own, at) => {
    const isHeading = !/[.!。！…][)"'”’]*$/.test(sentences[at] ?? '')
    return own * (isHeading ? 0.8 : 1) + ((coverages[at - 1] ?? 0) + (coverages[at + 1] ?? 0)) / 4
  })
  const best = worths.reduce((one, worth, at) => (worth > (worths[one] ?? -1) ? at : one), 0)
  let [first, last] = [best, best]
  let length = sentences[best]?.length ?? 0
  for (;;) {
    const before = sentences[first - 1]
    const after = sentences[last + 1]
    const isBefore = (worths[first - 1] ?? -1) > (worths[last + 1] ?? -1)
    const next = isBefore ? before : after
    if (next === undefined || length + 1 + next.length > MAX_CHARS) break
    length += 1 + next.length
    if (isBefore) first -= 1
    else last += 1
  }
  // Lines stay separate, so that a heading is not merged with the sentence below it.
  const lines = Map.groupBy(placed.slice(first, last + 1), ({ line }) => line)
  const text = [...lines.values()].map((line) => line.map(({ sentence }) => sentence).join(' ')).join('\n')
  return { text: cut(text), coverage: coverages[best] ?? 0 }
}

function cut(text: string): string {
  if (text.length <= MAX_CHARS) return text
  const head = text.slice(0, MAX_CHARS - 1)
  return `${head
    .slice(0, Math.max(head.lastIndexOf(' '), MAX_CHARS / 2))
    .toWellFormed()
    .trimEnd()}…`
}
