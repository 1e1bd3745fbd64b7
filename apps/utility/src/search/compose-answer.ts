import { isNote } from '@tollbook/extract/summary/is-note'
import { splitSentences } from '@tollbook/extract/summary/split-sentences'
import { indexTermsOf } from '@tollbook/flow/text/index-terms'
import { similarity, toTermVectors } from '@tollbook/flow/text/term-vectors'
import { coverageOf, type TermWeights, weighTerms } from '@tollbook/flow/text/term-weights'
import { cite } from '../model/cite.ts'
import { answersQuestion, isNegated } from './answer/answers-question.ts'
import type { Candidate } from './answer/is-subject.ts'
import { type Question, readQuestion } from './answer/read-question.ts'
import { contentFormsOf, formsOf } from './answer/same-words.ts'
import type { SearchHit } from './search-backend.ts'

export type ComposedAnswer = {
  readonly text: string
  /** Numbers of the quoted results, from 1, ascending. */
  readonly citations: readonly number[]
}

const MAX_SENTENCES = 3
/** Longer queries are sentences whose first words are sufficient. */
const MAX_TERMS = 16
const MIN_CHARS = 20
const MAX_CHARS = 400
/** A negation so many sentences before or after an answer is read with it. */
const NEAR = 3
/** A negated sentence with so much of the query is about its subject. */
const MIN_DENIAL = 0.45
/** Part of a term's weight if it is only in the title, of a sentence that covers this much of the query itself. */
const TITLE_SHARE = 1
const MIN_OWN_COVERAGE = 0.25
/** An upstream cuts snippets, or sends them without a full stop; shorter ones are headings. */
const MIN_CUT_TERMS = 8
/** The date that search engines put before a snippet. */
const SNIPPET_DATE =
  /^(?:\p{Lu}\p{L}{2,8}\.? \d{1,2}, \d{4}|\d{1,2}\.? \p{Lu}\p{L}{2,8}\.? \d{4}|\d{1,2} (?:minute|hour|day|week)s? ago)\s*(?:\.\.\.|[—–·…-])\s*/u
/** Similarity from which two sentences count as duplicates. */
const MAX_ALIKE = 0.6

/** The job of the endpoint. */
export function composeAnswer(provided: {
  readonly query: string
  readonly hits: readonly SearchHit[]
}): ComposedAnswer | null {
  const { query, hits } = provided
  const question = readQuestion(query)
  const terms = termsOfQuestion(subjectOf(question))
  const texts = hits.map(({ title, content }) => comparedTermsOf(`${title} ${content}`))
  const weights = weighAnswerTerms(terms, texts)
  const sentences = hits.flatMap((hit, at) => readSentences(hit, at + 1, weights))
  const relevant = sentences.filter((sentence) => answersQuestion(question, sentence))
  const whole = relevant.filter(({ kind }) => kind === 'whole')
  const fitting = (whole.length > 0 ? whole : relevant)
    .map((sentence, order) => ({ ...sentence, order, worth: sentence.covered * (1 + sentence.rank) }))
    .sort((one, other) => other.worth - one.worth || one.order - other.order)
  const { vectorOf } = toTermVectors(sentences.map(({ text }) => text))
  const isNew = (text: string, chosen: readonly Sentence[]) =>
    chosen.every((one) => similarity(vectorOf(one.text), vectorOf(text)) < MAX_ALIKE)
  const chosen: Sentence[] = []
  for (const sentence of fitting)
    if (chosen.length < MAX_SENTENCES && isNew(sentence.text, chosen)) chosen.push(sentence)
  const [best] = chosen
  if (!best) return null
  // A negation about the same subject next to it turns the answer around: it is quoted first, or there is no answer.
  const isNear = (one: Sentence) => one.citation === best.citation && Math.abs(one.at - best.at) <= NEAR
  const denials = sentences.filter((one) => one.own >= MIN_DENIAL && isNear(one) && isNegated(one.text))
  if (denials.length > MAX_SENTENCES) return null
  const quoted = [
    ...denials,
    ...chosen.filter(({ text }) => denials.every((one) => one.text !== text)),
  ].slice(0, MAX_SENTENCES)
  return {
    text: quoted.map(({ text, citation }) => cite(text, [citation])).join(' '),
    citations: [...new Set(quoted.map(({ citation }) => citation))].sort((one, other) => one - other),
  }
}

type Sentence = Candidate & {
  readonly kind: 'whole' | 'cut'
  readonly citation: number
  readonly rank: number
  /** Its place among the statements of the result. */
  readonly at: number
}

/** What an answer has to name: of a question for a person not the verb, for which there are others. */
function subjectOf({ kind, focus }: Question): string {
  return kind === 'person' ? focus.replace(/^\S+ (?=\S)/, '') : focus
}

/** Content words; others only if there is nothing else. */
function termsOfQuestion(subject: string): string[] {
  const content = contentFormsOf(subject)
  return (content.length > 0 ? content : [...new Set(formsOf(subject))]).slice(0, MAX_TERMS)
}

function readSentences(hit: SearchHit, citation: number, weights: TermWeights): Sentence[] {
  const title = comparedTermsOf(hit.title)
  const found = hit.content.split('\n').flatMap((line) =>
    splitSentences(line.trim().replace(SNIPPET_DATE, ''), null).flatMap((text) => {
      const kind = kindOf(text)
      if (kind === null) return []
      const own = coverageOf(weights, comparedTermsOf(text))
      const covered = coverOf(text, title, weights)
      return [{ text, title: hit.title, own, covered, kind, citation, rank: hit.score }]
    }),
  )
  return found.map((sentence, place) => ({ ...sentence, at: place }))
}

function comparedTermsOf(text: string): ReadonlySet<string> {
  return new Set(formsOf(text))
}

/** Terms that no result contains say nothing about the results: each weighs as little as the most frequent one. */
function weighAnswerTerms(terms: readonly string[], texts: readonly ReadonlySet<string>[]): TermWeights {
  const weights = weighTerms(terms, texts)
  const isFound = (term: string) => texts.some((text) => text.has(term))
  const least = Math.min(
    ...weights
      .entries()
      .filter(([term]) => isFound(term))
      .map(([, weight]) => weight),
  )
  const capped = [...weights].map(([term, weight]): [string, number] => [
    term,
    isFound(term) ? weight : Math.min(weight, least),
  ])
  const sum = capped.reduce((total, [, weight]) => total + weight, 0)
  return new Map(capped.map(([term, weight]) => [term, weight / sum]))
}

/** How much of the query a sentence covers, together with the title of its page, 0 to 1. */
function coverOf(sentence: string, title: ReadonlySet<string>, weights: TermWeights): number {
  const terms = comparedTermsOf(sentence)
  const own = coverageOf(weights, terms)
  return own < MIN_OWN_COVERAGE
    ? own
    : own + TITLE_SHARE * coverageOf(weights, new Set([...title].filter((term) => !terms.has(term))))
}

/** Questions, headings and footnotes are no statements: null. */
function kindOf(text: string): 'whole' | 'cut' | null {
  if (text.length < MIN_CHARS || text.length > MAX_CHARS || isNote(text)) return null
  if (/(?<!\.\.)[.!。！][)"'”’」]*$/.test(text)) return 'whole'
  return !/[?？]\W*$/.test(text) && indexTermsOf(text).length >= MIN_CUT_TERMS ? 'cut' : null
}
