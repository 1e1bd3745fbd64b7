import { contentTermsOf, indexTermsOf, stemOf } from '@tollbook/flow/text/index-terms'

/** A sentence of a model with the numbers of its sources, from 1. */
export type CitedSentence = { readonly text: string; readonly citations: readonly number[] }

const MAX_CHARS = 400
/** A sentence with fewer of its words in what it cites says something else. */
const MIN_SUPPORT = 0.7
/** A source with fewer of them is not what the sentence was written from. */
const MIN_SHARE = 0.25
/** Links, markup and addresses: what a page that instructs models wants to place in an answer. */
const MARKUP = /:\/\/|\bwww\.|\]\(|<\/?[a-z!]|`|\bdata:|\bjavascript:|@\S+\.\w/i
const NUMBERS = /\p{N}+(?:[.,:]\p{N}+)*/gu
/** Words with a capital letter after the first word. */
const NAMES = /(?<=[\p{L}\p{N},;:)]\s["'“‘(]?)\p{Lu}[\p{L}\p{N}]+/gu

type Source = { readonly terms: ReadonlySet<string>; readonly numbers: ReadonlySet<string> }

/**
 * Checks each sentence of a model against the sources that it cites, and drops those that these do not support.
 * Compares words, not meaning: a sentence that denies what a source says passes. A job for a worker.
 * @param drafted in the words of the model, which may obey a hostile page
 */
export function keepSupported({
  drafted,
  sources,
  query,
  maxSentences,
}: {
  readonly drafted: readonly CitedSentence[]
  readonly sources: readonly string[]
  /** Null if the sentences answer no question. */
  readonly query: string | null
  readonly maxSentences: number
}): CitedSentence[] {
  const read = sources.map(
    (source): Source => ({
      terms: new Set(indexTermsOf(source).map(stemOf)),
      numbers: new Set(source.match(NUMBERS)),
    }),
  )
  const supported = new Map<string, CitedSentence>()
  for (const { text, citations } of drafted) {
    const sentence = { text: clean(text), citations: supportOf(clean(text), citations, read) }
    if (sentence.citations.length > 0 && supported.size < maxSentences) supported.set(sentence.text, sentence)
  }
  const found = [...supported.values()]
  const queried = query === null ? [] : contentTermsOf(query).map(stemOf)
  const answered = new Set(found.flatMap(({ text }) => indexTermsOf(text).map(stemOf)))
  return queried.length > 0 && !queried.some((term) => answered.has(term)) ? [] : found
}

/** The citations that support a sentence; none if they do not support it as a whole. */
function supportOf(
  text: string,
  citations: readonly number[],
  sources: readonly Source[],
): readonly number[] {
  const terms = contentTermsOf(text).map(stemOf)
  if (text.length > MAX_CHARS || MARKUP.test(text) || terms.length < 2) return []
  const shareOf = (has: (term: string) => boolean) => terms.filter(has).length / terms.length
  const fitting = [...new Set(citations)]
    .filter((citation) => shareOf((term) => sources[citation - 1]?.terms.has(term) ?? false) >= MIN_SHARE)
    .sort((one, other) => one - other)
  const cited = fitting.flatMap((citation) => sources[citation - 1] ?? [])
  const isCited = (term: string) => cited.some((source) => source.terms.has(term))
  const names = (text.match(NAMES) ?? []).flatMap((name) => indexTermsOf(name).map(stemOf))
  // Terms are cut to their stems, which would make equal numbers of different ones.
  const numbers = text.match(NUMBERS) ?? []
  const isSupported =
    shareOf(isCited) >= MIN_SUPPORT &&
    names.every(isCited) &&
    numbers.every((number) => cited.some((source) => source.numbers.has(number)))
  return isSupported ? fitting : []
}

/** Without control characters, line breaks, and citations in the text itself. */
function clean(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/\s*\[\d+(?:\s*,\s*\d+)*\]/g, '')
    .trim()
}
