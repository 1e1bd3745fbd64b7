import { type Candidate, findCopula, isSubject, withoutNotes } from './is-subject.ts'
import type { Question } from './read-question.ts'
import { contentFormsOf, formsOf } from './same-words.ts'

/** What comes after a preposition or a verb is asked for. */
const OPEN =
  /^(?:about|like|on|in|at|by|for|from|with) | (?:about|like|on|in|to|at|between|for|of|from|called|named|known for|known as)$/
const LISTS = /^(?:some|the (?:names?|types?|kinds?)|examples?|types?|kinds?|names?|all)\b/
const SAID =
  /\b(?:means?|meaning|literally|translat\p{L}+|refers?|terms?|words?|phrases?|expressions?|idiom|short for|acronym|abbreviation|defined|denotes?|describes?|stands? for)\b/u
const WORK =
  /["“„]|\b(?:songs?|novels?|films?|albums?|poem|tango|band|series|character|agency|company|single)\b/

/** Whether the subject before the first form of to be is what the question is about. */
export function isDefinition({ focus, aspect }: Question, { text, title }: Candidate): boolean {
  if (LISTS.test(focus) || / from /.test(focus)) return false
  if (aspect === 'stand' && !/\bstands? for\b|\bacronym\b|\babbreviat|\bshort for\b/.test(text)) return false
  if (aspect === 'mean' && WORK.test(text) && !SAID.test(text)) return false
  const at = findCopula(text)
  if (at < 0 || !/[.!。…]["'”’»)]*(?: ?\[\d+\])*$/.test(text.trim())) return false
  const before = text.slice(0, at)
  // `a stanza in poetry`
  const [, subject = focus, field = ''] = /^(.+?) in (.+)$/.exec(focus) ?? []
  const known = new Set(formsOf(`${title} ${text}`))
  if (contentFormsOf(field).every((form) => known.has(form)) && isSubject(subject, before, title)) return true
  // `a chronograph watch`: "A chronograph is a type of watch"
  const words = focus.replace(/^(?:the|an?) /, '').split(' ')
  const [first = '', last = ''] = [words[0], words.at(-1)]
  const said = new Set(formsOf(text.slice(at, at + 90)))
  const isSaid = (word: string) =>
    words.length > 1 &&
    words.every((one) => contentFormsOf(one).length > 0) &&
    formsOf(word).every((form) => said.has(form))
  return (
    isSubject(focus, before, title) ||
    (isSaid(last) && isSubject(words.slice(0, -1).join(' '), before, title)) ||
    (isSaid(first) && isSubject(words.slice(1).join(' '), before, title))
  )
}

/** Questions for what something is made of and the like: their ends, and what an answer says. */
const ENDS: readonly (readonly [end: RegExp, said: RegExp])[] = [
  [
    / (?:made|composed|built)(?: up)? (?:of|from|out of)$/,
    /\b(?:made|composed|consists?|built)\b.{0,40}\b(?:of|from|with|by|using)\b/,
  ],
  [/ used (?:for|in|as|to)$/, /\bused (?:to|for|in|as|by|on)\b/],
  [
    / about$/,
    /\b(?:about|deals? with|tells?|follows?|describes?|chronicles?|depicts?|concern\w*|explores?)\b/,
  ],
  [/ for$/, /\bused (?:to|for|in|as)\b|\bimportant for\b/],
  [
    /^(?:is|are|was|were) .+ (?:made|formed|produced|created|manufactured)$/,
    /\b(?:made|formed|produced|created|caused)\b.{0,40}\b(?:by|from|using|with|within|when|out of|of)\b/,
  ],
  [/^(?:do|does) .+ form$/, /\b(?:by|using|uses|through)\b/],
]
const AUXILIARY = /^(?:is|are|was|were|do|does) | (?:made|formed|produced|created|manufactured|form)$/g

export function isEnded({ focus }: Question, { text, title }: Candidate): boolean {
  const [end, said] = ENDS.find(([pattern]) => pattern.test(focus)) ?? []
  const at = withoutNotes(text).search(
    /\b(?:is|are|was|were|has|consists?|follows?|tells?|describes?|deals?)\b/,
  )
  if (!end || !said?.test(text) || at < 0) return false
  const subject = (end.source.startsWith('^') ? focus : focus.replace(end, '')).replaceAll(AUXILIARY, '')
  return isSubject(subject, text.slice(0, at), title)
}

/** Whether a sentence says of somebody or something that it is what the question asks for: `Ann Lee is the mayor`. */
export function isInverse({ query, focus }: Question, { text }: Candidate): boolean {
  if (!/^the |est\b|\bfirst\b/.test(focus) || LISTS.test(focus)) return false
  const plain = withoutNotes(text)
  const verb = /\b(is|are|was|were|has been|became|ist|war)\b/u.exec(plain)
  if (
    !verb ||
    !/^[^,]*\p{Lu}/u.test(text) ||
    /^(?:he|she|it|they|this|these|there|the following)\b/i.test(text)
  )
    return false
  if (/^\w+ (?:is|are)\b/i.test(query) && /^w/.test(verb[0])) return false
  const wanted = contentFormsOf(focus)
  const before = new Set(contentFormsOf(plain.slice(0, verb.index)))
  if (wanted.some((form) => before.has(form))) return false
  const after = formsOf(plain.slice(verb.index)).slice(1, 9 + wanted.length)
  let at = 0
  if (!after.slice(0, 5).includes(wanted[0] ?? '')) return false
  for (const form of after) if (form === wanted[at]) at += 1
  return at === wanted.length
}

/** Whether a sentence has the property that a question asks for: `the capital of France`. */
export function isPropertyOf(question: Question, candidate: Candidate): boolean {
  if (isEnded(question, candidate)) return true
  return !OPEN.test(question.focus) && (isDefinition(question, candidate) || isInverse(question, candidate))
}
