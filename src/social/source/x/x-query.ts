import type { Fault } from '../../../catalogue/problem.ts'
import type { TweetQuery } from '../tweet-query.ts'

/** `recent`: the last 7 days, for every app; `all`: everything since 2006, for apps that pay for it. */
export type XSearch = 'recent' | 'all'

/** Most signs of a query (docs.x.com, "Search Posts"). */
const MAX_CHARACTERS: Record<XSearch, number> = { recent: 512, all: 1024 }
const RECENT_MS = 7 * 86_400_000
/** A search must end this long before now, ms. */
const YOUNGEST_MS = 10_000
/** Words with a meaning of their own in the query language. */
const OPERATORS = new Set(['OR', 'AND', 'NOT'])
/** Marks that begin or end a quotation, and the sign that would take a mark's meaning away. */
const QUOTES = /["“”„‟〝〞＂\\]+/gu

/**
 * A search in the query language of the X API. What callers send stands there as words or in quotes, so that nothing
 * of it can act as an operator; a quotation mark inside is a space, which it is for the search as well.
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
 * The bounds in time. Without one where it lies beyond what is searched anyway, since the X API refuses such.
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

/** What of a search the X API cannot look for. */
export function findXQueryFaults(query: TweetQuery, search: XSearch, nowMs: number): readonly Fault[] {
  const names = ['from', 'to', 'mentioning'] as const
  const foreign = names.filter((name) => query[name] !== null && !isScreenName(query[name]))
  if (foreign.length > 0)
    return foreign.map((parameter) =>
      fault(parameter, 'is no screen name of X: 1 to 15 letters, digits and _'),
    )
  const { words, phrase, anyWords, hashtags, from, to, mentioning, until } = query
  const isAlone = [words, anyWords, hashtags].every((list) => list.length === 0) && phrase === null
  if (isAlone && [from, to, mentioning].every((name) => name === null))
    return [
      fault(
        'words',
        'phrase, anyWords, hashtags, from, to or mentioning is needed: X looks for nothing by other filters alone',
      ),
    ]
  const signs = [...toXQuery(query)].length
  if (signs > MAX_CHARACTERS[search])
    return [
      fault('words', `and the other filters make ${signs} signs; X takes at most ${MAX_CHARACTERS[search]}`),
    ]
  if (search === 'recent' && until !== null && until.getTime() <= nowMs - RECENT_MS)
    return [fault('until', 'lies before the last 7 days, which are all that is searched here')]
  return []
}

/** What of a search for users the X API cannot look for (docs.x.com, "Search users"). */
export function findXUserQueryFaults(query: string): readonly Fault[] {
  if (/^[A-Za-z0-9_' ]{1,50}$/.test(query)) return []
  return [fault('query', "has signs that X cannot look for; send at most 50 of A-Z a-z 0-9 _ ' and space")]
}

/** Whether a name can be one of X. */
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

/** The X API takes whole seconds. */
function toSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}

function fault(parameter: string, detail: string): Fault {
  return { parameter, detail, code: 'cannot_be_served' }
}
