import { contentFormsOf } from './same-words.ts'

/** A sentence, the title of its page and how much of the question is in the sentence alone and with the title, 0 to 1. */
export type Candidate = {
  readonly text: string
  readonly title: string
  readonly own: number
  readonly covered: number
}

/** A form of to be or a word for it, that a description follows rather than a participle. */
const COPULA =
  /\b(?:(?:is|are|was|were)(?: (?:\p{L}+ly|also|often|sometimes|most)(?! \p{L}+(?:ed|en)\b))?(?: (?:a|an|the|one|any|some|any of|two|three|four|those|that|when|where)\b| (?!(?:\p{L}+ly )?\p{L}+(?:ed|en)\b|\p{L}+ by\b|(?:also|often|sometimes|most|very|more|less|not|common|available|similar|closer|important|popular|in|on|at|from|to|used|known|made|found)\b)\p{L})|refers? to|means?|describes?|denotes?|stands? for|defined as|ist|sind|war|waren|bezeichnet)/u
const ALIAS =
  /["“”„()]|\b(?:or|also|oder|auch)\b|\b(?:known as|called|abbreviated(?: as)?|referred to as|known by|spelled|written|short for|genannt)\b/u
const LEAD = /^(?:In|For|Within|Under|At|As|On|During|Bei|Im) [^,]{2,60}, /u
const ARTICLE =
  /^(?:(?:the|his|her|its) (?:terms?|words?|phrase|(?:stage )?name)\b|the|a|an|each|every|der|die|das|ein|eine)(?: |$)/iu

const PREPOSITION = / (?:in|of|from|on|at|for|with|von|in|im|aus) /u

/** Where the description of the subject begins, or -1. */
export function findCopula(sentence: string): number {
  return withoutNotes(sentence).search(COPULA)
}

/** The text with spaces instead of what is in parentheses, so that indices stay. */
export function withoutNotes(text: string): string {
  return text.replaceAll(/\([^()]*\)/g, (note) => ' '.repeat(note.length))
}

/**
 * Whether the text before a verb names what is wanted and nothing else: no further noun ("Sulfa allergies" are no
 * sulfa), and the words in their order. A title or a name may have more words than people type.
 */
export function isSubject(focus: string, before: string, title: string): boolean {
  const wanted = nounsOf(focus)
  if (wanted.length === 0) return false
  const known = new Set(nounsOf(title))
  return before
    .replace(LEAD, '')
    .split(ALIAS)
    .map((piece) => piece.trim().replace(ARTICLE, ''))
    .some(
      (piece) =>
        isNameOf(wanted, piece, known) ||
        isNameOf(wanted, piece.split(',')[0] ?? '', known) ||
        isNameOf(wanted, piece.split(PREPOSITION)[0] ?? '', new Set()),
    )
}

function isNameOf(wanted: readonly string[], text: string, known: ReadonlySet<string>): boolean {
  let at = 0
  let isName = true
  const extra: string[] = []
  for (const word of text.split(/[\s–-]+/)) {
    const isCapital = /^\P{L}*\p{Lu}|^\d/u.test(word)
    for (const form of nounsOf(word))
      if (form === wanted[at]) {
        at += 1
        isName &&= isCapital
      } else if (!wanted.includes(form) && !known.has(form)) extra.push(isCapital ? form : '')
  }
  // The title completes a part of a name: `Reagan` on the page `Ronald Reagan`.
  const rest = wanted.slice(at)
  const isWhole = rest.length === 0 || (isName && at > 0 && rest.every((form) => known.has(form)))
  return isWhole && (extra.length === 0 || (isName && extra.length <= 3 && !extra.includes('')))
}

/** Content words in the singular, whole: a manager is no management. */
export function nounsOf(text: string): string[] {
  const words =
    text
      .normalize('NFD')
      .replaceAll(/\p{M}|['’]s\b/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words
    .filter((word) => contentFormsOf(word).length > 0)
    .map((word) =>
      word.replace(/(?<=\p{L}{2})ies$/u, 'y').replace(/(?<=(?:ch|sh|x|ss))es$|(?<=\p{L}{2}[^su])s$/u, ''),
    )
}
