import { hasAgent } from './has-agent.ts'
import { hasCount, hasMeasure } from './has-count.ts'
import { BIRTH_OR_DEATH, hasDate, isLifeOf } from './has-date.ts'
import { isDefinition, isEnded, isInverse, isPropertyOf } from './is-definition.ts'
import { isPlaceOf } from './is-place.ts'
import type { Candidate } from './is-subject.ts'
import type { Question } from './read-question.ts'
import { contentFormsOf, formsOf } from './same-words.ts'

const REASON =
  /\b(?:because|due to|owing to|caused by|so that|in order to|as a result|results? (?:from|in)|therefore|leads? to|led to|thanks to|reasons?|why|weil|wegen|denn|aufgrund|deshalb|darum|damit)\b/i
const CAUSE =
  /\b(?:caused by|causes? (?:of|is|are|was|were|includes?)|due to|because|results? (?:from|of)|as a result|leads? to|led to)\b/i

const ALL = 0.99
const MOST = 0.7
/** Words that a statement must have, too: `first`, `largest`. */
const EXACT =
  /\b(?:non|first|second|third|fourth|last|latest|next|previous|only|original|current|currently|now|today|tomorrow|most|least|main|average|total|(?!(?:north|south)?(?:west|east)|for(?:e|)st|request|interest|guest|contest|protest|invest|harvest|suggest|digest|priest|quest|arrest|conquest|manifest|honest|modest)\w{3,}est)\b/g

/**
 * Whether a sentence answers a question of its kind: with a date for when, a number of what is counted, a name next to
 * the verb for who, a subject that is the one of the question for what is. Tuned for precision: most sentences that
 * share all words with a question do not answer it.
 */
export function answersQuestion(question: Question, candidate: Candidate): boolean {
  const { kind, focus } = question
  const { text, own, covered } = candidate
  if (!hasExactWords(question, candidate)) return false
  if (kind === 'words') return covered >= (question.query.endsWith('?') ? ALL : MOST)
  if (kind !== 'choice' && kind !== 'definition' && kind !== 'property' && isNegated(text)) return false
  switch (kind) {
    case 'time':
      if (BIRTH_OR_DEATH.test(focus)) return isLifeOf(focus, text)
      return covered >= ALL && own >= 0.6 && hasDate(question, text)
    case 'count':
      return question.counted === null
        ? own >= MOST && covered >= ALL && hasMeasure(question, text)
        : (own >= ALL || (covered >= ALL && own >= 0.5)) && hasCount(question, text)
    case 'place':
      return isPlaceOf(question, candidate)
    case 'reason':
      return covered >= ALL && own >= MOST && (/^what/i.test(question.query) ? CAUSE : REASON).test(text)
    case 'person':
      return (
        covered >= ALL &&
        own >= 0.6 &&
        ((!/^(?:have|has|did|do|does) /.test(focus) && hasAgent(focus, text)) ||
          isInverse(question, candidate))
      )
    case 'property':
      return isPropertyOf(question, candidate)
    case 'definition':
      return isDefinition(question, candidate) || isInverse(question, candidate)
    case 'choice':
      return covered >= ALL && own >= MOST && startsAlike(focus, text)
    case 'other':
      return isEnded(question, candidate)
    default:
      return kind satisfies never
  }
}

/** Negations, which turn a statement around and must not be left out. */
const NEGATION =
  /\b(?:not|never|no|none|nor|neither|without|cannot|avoid(?:ed)?|unsafe|unlikely|nicht|nie|niemals|kein(?:e[rsmn]?)?|ohne|vermeiden|jamais|aucune?|sans|nunca|ningún|ninguna|jamás|mai|nessun[oa]?|senza)\b|n['’]t\b|\bne\b.{1,30}\bpas\b/iu

/** Whether a statement is negated, apart from titles and quotations. */
export function isNegated(sentence: string): boolean {
  return NEGATION.test(sentence.replaceAll(/"[^"]*"|“[^”]*”|„[^“]*“/g, ' '))
}

/** Superlatives, ordinals, numbers and names of the question are those of the sentence or of its title. */
function hasExactWords({ kind, query, focus }: Question, { text, title }: Candidate): boolean {
  const found = new Set(formsOf(`${title} ${text}`))
  const capitals = query.match(/(?<=\S )\p{Lu}[\p{L}\p{N}]*/gu) ?? []
  const names = capitals.length * 2 > query.split(' ').length ? [] : capitals
  const numbers = focus.match(kind === 'words' ? NUMBER : NUMBERED) ?? []
  return [...(focus.match(EXACT) ?? []), ...numbers, ...names].every((word) =>
    formsOf(word).every((form) => found.has(form)),
  )
}

const NUMBER = /(?<![\p{L}\p{N}])\d+(?:[.,]\d+)*(?![\p{L}\p{N}])/gu
/** `x402`, `9.2`, `3rd` */
const NUMBERED = /[\p{L}\p{N}]*\d(?:[\p{L}\p{N}.,]*[\p{L}\p{N}])?/gu

/** Whether the first content word of a question is among the first of a sentence. */
function startsAlike(focus: string, sentence: string): boolean {
  const [subject] = contentFormsOf(focus)
  return subject !== undefined && contentFormsOf(sentence).slice(0, 8).includes(subject)
}
