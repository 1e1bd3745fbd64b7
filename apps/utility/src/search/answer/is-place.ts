import { type Candidate, isSubject, withoutNotes } from './is-subject.ts'
import type { Question } from './read-question.ts'
import { withoutTerms } from './same-words.ts'

const PLACE =
  /\b(?:in|at|on|near|off|from|of|to|between|across|inside|within|through|bei|aus|am|im|nach)\b(?: (?:the|a|an|der|die|das|den|dem))?(?: \p{Ll}+){0,3} \p{Lu}/u

/** Whether the subject is the one of the question, which may add where that is: `Orono Maine`. */
function hasSubject(subject: string, text: string, at: number, title: string): boolean {
  const words = subject.split(' ')
  const names = `${title} ${text}`.match(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}]*/gu) ?? []
  const known = new Set(['in', 'of', ...names.map((name) => name.toLowerCase())])
  return words.some(
    (_, from) =>
      isSubject(words.slice(0, words.length - from).join(' '), text.slice(0, at), title) &&
      words.slice(words.length - from).every((word) => known.has(word)),
  )
}

/** What says the same as the verb of a question for a place. */
const PLACE_WORDS: Readonly<Record<string, RegExp>> = {
  live: /\b(?:liv|inhabit|habitat|native|found|reside|dwell)/,
  from: /\b(?:from|based in|born in|native|grew up|originat|deriv)|\p{Lu}\p{L}+(?:an|ish|ese) /u,
  found: /\b(?:found|native|occurs?|discovered)/,
  grow: /\b(?:grow|native|cultivat)/,
  come: /\b(?:comes?|came|native|originat\p{L}*|derived?|derives) (?:from|to|in)\b/u,
  born: /\bborn\b[^.;]{0,60}\b(?:in|at) (?!\d|January|February|March|April|May|June|July|August|September|October|November|December)\p{Lu}/u,
}

/** Whether a sentence says of the subject of the question, before its verb, in which place it is. */
export function isPlaceOf({ query, focus, aspect }: Question, { text, title }: Candidate): boolean {
  const subject = focus
    .replace(/^ ?(?:is|are|was|were|do|does|did|ist|sind|war|liegt|kommt) /, '')
    .replace(new RegExp(` (?:located|situated|at|in|${aspect ?? 'located'})$`), '')
    .trim()
  const plain = withoutNotes(text)
  const verb =
    /\b(?:is|are|was|were|lies|stands|lived?|inhabits?|takes place|took place|ist|liegt|befindet)\b/u.exec(
      plain,
    )
  if (!verb || /\bborder/.test(text) || !hasSubject(subject, text, verb.index, title)) return false
  const rest = withoutTerms(aspect === 'born' ? text : plain.slice(verb.index), subject)
  const said =
    aspect === null ? null : (PLACE_WORDS[aspect.replace(/(?:s| from|d)$/, '')] ?? new RegExp(`\\b${aspect}`))
  if (/^(?:in )?(?:what|which) county/i.test(query) && !/\b(?:County|counties|Parish)\b/.test(rest))
    return false
  return PLACE.test(rest) && (said === null || said.test(rest))
}
