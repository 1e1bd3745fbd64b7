import type { Question } from './read-question.ts'
import { contentFormsOf, formsOf } from './same-words.ts'

export const YEAR =
  /(?<![\d.,])(?:1\d{3}|20\d{2})(?![\d.,]*\d)|\b\d{1,4} (?:BC|AD|BCE|CE)\b|\b\d{1,2}(?:st|nd|rd|th)(?: or \d{1,2}(?:st|nd|rd|th))? century\b/
export const DATE =
  /\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\b\d{1,2}:\d{2}\b|\b(?:midnight|noon|spring|summer|autumn|winter)\b/
/** Between a date and the verb. */
const NEAR_CHARS = 60

/** Whether a date is near one of the last words of the question, which is mostly its verb. */
export function hasDate({ query, focus }: Question, sentence: string): boolean {
  if (!isInOrder(focus, sentence)) return false
  // `when trees grow in brooklyn` is a title.
  if (/^when (?!is|are|was|were|do|does|did|will|has|have|had)/i.test(query)) return false
  const last = new Set(contentFormsOf(focus).slice(-2))
  const plain = sentence.replaceAll(/\([^()]*\)/g, (note) =>
    DATE.test(note) || /born|foaled/.test(note) ? ' ' : note,
  )
  const found = [...plain.matchAll(/[\p{L}\p{N}]+/gu)].filter(([word]) =>
    formsOf(word).some((form) => last.has(form)),
  )
  const form = /^when (?:is|are|do|does)/i.test(query)
    ? DATE.source
    : `(?<!(?<!\\b(?:at|in|during|for) )[Tt]he )(?:${YEAR.source})|${DATE.source}`
  return [...plain.matchAll(new RegExp(form, 'g'))].some(
    ({ index, 0: date }) =>
      !focus.includes(date.toLowerCase()) &&
      found.some(
        ({ index: at, 0: word }) =>
          (at < index ? index - at - word.length : at - index - date.length) <= NEAR_CHARS,
      ),
  )
}

/** Of `did Harold conquer England`, Harold comes first. */
function isInOrder(focus: string, sentence: string): boolean {
  const [first, ...more] = contentFormsOf(focus.replace(/^(?:did|does|do) /, ''))
  const forms = formsOf(sentence)
  const [from, to] = [forms.indexOf(first ?? ''), forms.lastIndexOf(more.at(-1) ?? '')]
  return !/^(?:did|does|do) /.test(focus) || from < 0 || to < 0 || from < to
}

export const BIRTH_OR_DEATH = /\b(?:born|birthday|die|died|dead|pass away|geboren|gestorben)$/

/** Whether a sentence has the dates of a life after the name: `Ann Lee (1 May 1901 – 2 June 1980)`. */
export function isLifeOf(focus: string, sentence: string): boolean {
  const name = contentFormsOf(
    focus.replace(/^ ?(?:was|is|did|wurde|ist|were) /, '').replace(BIRTH_OR_DEATH, ''),
  )
  const head = /^[^()]{2,80}\(/u.exec(sentence)?.[0] ?? sentence.slice(0, 60)
  const before = contentFormsOf(head)
  if (name.length === 0 || !name.every((term) => before.includes(term))) return false
  const years = sentence.match(/(?<!\d)(?:\d{3}|1\d{3}|20\d{2})(?!\d)/g) ?? []
  return /\b(?:born|birthday|geboren)$/.test(focus)
    ? /\([^()]*\d{4}|\b(?:born|geboren)\b.{0,80}\d{4}/.test(sentence)
    : years.length >= 2 && /[–-]|died|gestorben/.test(sentence)
}
