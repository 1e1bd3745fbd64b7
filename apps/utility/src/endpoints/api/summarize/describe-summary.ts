import type { ChosenSentence } from '@tollbook/extract/summary/summarize'
import { countWords } from '@tollbook/extract/words'
import { ProblemError } from '@tollbook/http/problem'
import { cite } from '../../../model/cite.ts'
import { writeCited } from '../../../model/write-cited.ts'
import type { UtilityPorts } from '../../../ports.ts'
import type { PageSummary } from './summarize-page.ts'

type SummaryCall = {
  readonly input: { readonly sentences: number }
  readonly ports: Pick<UtilityPorts, 'extractionTier' | 'workers'>
  readonly signal: AbortSignal
  readonly now: Date
}

/**
 * The fields of a summary: of the chosen sentences, or written by the model from the sources.
 * @throws ProblemError if there are no sentences to select; an empty summary is not sold.
 */
export async function describeSummary(found: PageSummary, what: 'page' | 'text', call: SummaryCall) {
  const { title, lang, chosen, sentenceCount, wordCount } = found
  if (chosen.length === 0)
    throw new ProblemError({ code: 'cannot_be_served', detail: `The ${what} has no sentences.` })
  const written = await write(found, call)
  const quoted = joinSentences(chosen.map(({ text }) => text))
  const { summary, text, sentences } = written ?? { summary: quoted, text: quoted, sentences: chosen }
  const words = countWords(text)
  return {
    title,
    summary,
    sentences: [...sentences],
    sentence_count: sentenceCount,
    word_count: wordCount,
    summary_words: words,
    compression: wordCount === 0 ? 0 : Math.round((words / wordCount) * 1e4) / 1e4,
    lang,
    method: written ? ('model' as const) : ('textrank-tfidf-position' as const),
    deterministic: written === null,
    ts: call.now.toISOString(),
  }
}

type Written = {
  readonly summary: string
  /** The summary without citations. */
  readonly text: string
  readonly sentences: readonly ChosenSentence[]
}

/** The summary by a model with the sentences that it cites; null if none was requested or nothing is supported. */
async function write({ sources }: PageSummary, call: SummaryCall): Promise<Written | null> {
  if (sources.length === 0) return null
  const { sentences: maxSentences } = call.input
  const order = {
    task: `Summarize the sources, sentences of one text in order, in at most ${maxSentences} sentences.`,
    query: null,
    sources: sources.map(({ text }) => text),
    maxSentences,
  }
  const written = await writeCited(order, call.ports, call.signal)
  if (written.length === 0) return null
  const cited = [...new Set(written.flatMap(({ citations }) => citations))].sort((one, other) => one - other)
  return {
    text: written.map(({ text }) => text).join(' '),
    summary: written
      .map(({ text, citations }) =>
        cite(
          text,
          citations.map((number) => cited.indexOf(number) + 1),
        ),
      )
      .join(' '),
    sentences: cited.flatMap((number) => sources[number - 1] ?? []),
  }
}

/** Separates sentences that end without punctuation. */
function joinSentences(sentences: readonly string[]): string {
  return sentences
    .map((text, at) => (at === sentences.length - 1 || /\p{P}$/u.test(text) ? text : `${text}.`))
    .join(' ')
}
