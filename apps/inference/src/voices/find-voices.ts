import { type Gender, toLanguageTag, type Voice } from './voice.ts'

export type VoiceQuery = {
  readonly provider?: string | undefined
  /** A language tag; `en` also matches `en-US` (RFC 4647 section 3.3.1). */
  readonly language?: string | undefined
  readonly gender?: Gender | undefined
  readonly hosted?: boolean | undefined
  /** Words that must all occur in the id, the name or a language tag, case-insensitively. */
  readonly q?: string | undefined
}

/** The voices that match every condition, in their order. */
export function findVoices(voices: readonly Voice[], query: VoiceQuery): readonly Voice[] {
  const range = query.language && toLanguageTag(query.language).toLowerCase()
  const words =
    query.q
      ?.toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '') ?? []
  return voices.filter(
    (voice) =>
      (query.provider === undefined || voice.provider === query.provider) &&
      (query.gender === undefined || voice.gender === query.gender) &&
      (query.hosted === undefined || voice.hosted === query.hosted) &&
      (!range || voice.languages.some((tag) => isInRange(tag.toLowerCase(), range))) &&
      words.every((word) => textOf(voice).includes(word)),
  )
}

/** Whether a language tag is within a range (RFC 4647 section 3.3.1), both in lower case. */
export function isInRange(tag: string, range: string): boolean {
  return tag === range || tag.startsWith(`${range}-`)
}

function textOf({ id, name, languages }: Voice): string {
  return [id, name, ...languages].join(' ').toLowerCase()
}

/** Where the next page begins, opaque to the caller: the id of the last voice of this one. */
export function toToken(lastId: string): string {
  return Buffer.from(`after ${lastId}`).toString('base64url')
}

/** The id in a token; null if the token is invalid. */
export function parseToken(token: string): string | null {
  return /^after (.+)$/.exec(Buffer.from(token, 'base64url').toString())?.[1] ?? null
}
