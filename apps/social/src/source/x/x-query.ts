import type { Issue } from '@tollbook/http/problem'
import type { TweetQuery } from '../provider.ts'

/** `recent`: the last 7 days, for every app; `all`: everything since 2006, for apps on a paid plan. */
export type XSearch = 'recent' | 'all'

/** Maximum length of a query (docs.x.com, "Search Posts"). */
const MAX_CHARACTERS: Record<XSearch, number> = { recent: 512, all: 1024 }
const RECENT_MS = 7 * 86_400_000
/** Minimum distance of the end of a search from now, ms. */
const YOUNGEST_MS = 10_000
/** Reserved words of the query language. */
const OPERATORS = new Set(['OR', 'AND', 'NOT'])
/** Quotation marks, and the escape character. */
const QUOTES = /["“”„‟〝〞＂\\]+/gu

/**
 * A query in the query language of the X API. Callers' input becomes plain words or is quoted, so that it
 * cannot act as an operator; a quotation mark inside is replaced by a space, which is equivalent for the
 * search.
 */
export function toXQuery(query: TweetQuery): string {
  const any = query.anyWords.map(literal)
  return [
    ...query.words.map(literal),
    ...(query.phrase === null ? [] : [quote(query.phrase)]),
    ...(any.length > 1 ? [`(${any.join(' OR ')})`] : any),
    ...query.hashtags.map((tag) => (/^[\p{L}\p{M}\p{N}_]+$/u.test(tag) ? `#${tag}` : quote(`#${tag}`))),
    ...operator('from:', query.from),
    ...operator('to:', query.to),
    ...operator('@', query.mentioning),
    ...operator('min_replies:', query.minReplies),
    ...operator('min_likes:', query.minLikes),
    ...operator('min_reposts:', query.minReposts),
    ...operator('lang:', query.lang),
    ...query.noneWords.map((word) => `-${literal(word)}`),
  ].join(' ')
}

/**
 * The time bounds. Bounds outside of the searched period are omitted, since the X API rejects them.
 * @param nowMs epoch milliseconds.
 */
export function toXBounds(
  { since, until }: TweetQuery,
  search: XSearch,
  nowMs: number,
): Readonly<Record<string, string>> {
  const isWithin = since !== null && (search === 'all' || since.getTime() > nowMs - RECENT_MS)
  const youngestMs = nowMs - YOUNGEST_MS
  const isPast = until !== null && until.getTime() < nowMs
  return {
    ...(isWithin && { start_time: toSeconds(since) }),
    ...(isPast && { end_time: toSeconds(new Date(Math.min(until.getTime(), youngestMs))) }),
  }
}

/** Issues of queries that the X API cannot search. */
export function findXQueryIssues(query: TweetQuery, search: XSearch, nowMs: number): readonly Issue[] {
  const names = ['from', 'to', 'mentioning'] as const
  const foreign = names.filter((name) => query[name] !== null && !isScreenName(query[name]))
  if (foreign.length > 0)
    return foreign.map((parameter) =>
      issue(parameter, 'must be a screen name of X: 1 to 15 letters, digits and _'),
    )
  const { words, phrase, anyWords, hashtags, from, to, mentioning, until } = query
  const isAlone = [words, anyWords, hashtags].every((list) => list.length === 0) && phrase === null
  if (isAlone && [from, to, mentioning].every((name) => name === null))
    return [
      issue(
        'words',
        'phrase, anyWords, hashtags, from, to or mentioning is required: X cannot search by other filters alone',
      ),
    ]
  const signs = [...toXQuery(query)].length
  if (signs > MAX_CHARACTERS[search])
    return [
      issue(
        'words',
        `and the other filters are too long for X (${signs} characters, limit ${MAX_CHARACTERS[search]})`,
      ),
    ]
  if (search === 'recent' && until !== null && until.getTime() <= nowMs - RECENT_MS)
    return [issue('until', 'is before the last 7 days, the searched period')]
  return []
}

/** Issues of user searches that the X API does not support (docs.x.com, "Search users"). */
export function findXUserQueryIssues(query: string): readonly Issue[] {
  if (/^[A-Za-z0-9_' ]{1,50}$/.test(query)) return []
  return [
    issue('query', "has unsupported characters or is too long; send at most 50 of A-Z a-z 0-9 _ ' and space"),
  ]
}

/** Whether a name is a valid username of X. */
export function isScreenName(name: string): boolean {
  return /^\w{1,15}$/.test(name)
}

function literal(word: string): string {
  return /^[\p{L}\p{N}_]+$/u.test(word) && !OPERATORS.has(word.toUpperCase()) ? word : quote(word)
}

function quote(text: string): string {
  return `"${text.replace(QUOTES, ' ').replace(/\s+/gu, ' ').trim()}"`
}

function operator(name: string, value: string | number | null): string[] {
  return value === null ? [] : [`${name}${value}`]
}

/** The X API accepts whole seconds. */
function toSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}

function issue(parameter: string, detail: string): Issue {
  return { parameter, detail, code: 'cannot_be_served' }
}
