import { sql } from 'kysely'
import type { State } from '../../../state/state.ts'
import type { TokenPhrase } from '../../../text/tokens.ts'
import { dayOf } from './save-rows.ts'
import type { FoundRow } from './sqlite-search.ts'
import type { TweetFilter } from './tweet-filter.ts'

/** Days per statement: limits the work for rare words, and lets a search be aborted between two statements. */
const DAYS_AT_ONCE = 256
/** Placeholder for the day; no token contains it. */
const DAY = '#'
const METRICS = ['likes', 'reposts', 'replies'] as const

type Asked = { readonly before: number | null; readonly limit: number; readonly signal: AbortSignal }

/**
 * The newest tweets that match, before a position. An inverted index has no order, so each token is indexed
 * with its day, and days are searched from the newest on until the page is full.
 */
export async function searchPostgres(
  state: State,
  filter: TweetFilter,
  requested: Asked,
): Promise<FoundRow[]> {
  const { limit, signal } = requested
  const before = Math.min(
    ...[filter.before, requested.before].map((bound) => bound ?? Number.MAX_SAFE_INTEGER),
  )
  const metrics = METRICS.filter((metric) => filter.min[metric] !== null)
  const min = metrics.map((metric) => filter.min[metric])
  const wanted = toWanted(filter)
  const firstDay = dayOf(filter.from)
  const read = prepareDays(state, { metrics, limit })
  const found: FoundRow[] = []
  for (let day: number | undefined = dayOf(before - 1) + 1; day !== undefined; ) {
    signal.throwIfAborted()
    found.push(...(await read([firstDay, day, wanted, filter.from, before, ...min])))
    if (found.length >= limit) return found.slice(0, limit)
    const [last] = await prepareLastDay(state)([firstDay, day])
    day = last?.day
  }
  return found
}

type Shape = { readonly metrics: readonly (typeof METRICS)[number][]; readonly limit: number }

/**
 * Days are ordered newest first, so only each day's tweets need sorting, and the database reads the next day
 * only while the page is not full. The planner has no statistics about the words of a day, so the query
 * forces it to read each day by the word index: `seq + 0` prevents a scan of the whole table in the order of
 * seq, and the offset prevents a join of the days with all tweets.
 */
function prepareDays(state: State, { metrics, limit }: Shape) {
  return state.prepare(`tweets by words, ${[limit, ...metrics].join(' ')}`, (db) => {
    const days = db
      .selectFrom('social_tweet_day')
      .select('day')
      .where('day', '>=', 0)
      .where('day', '<', 0)
      .orderBy('day', 'desc')
      .limit(sql.lit(DAYS_AT_ONCE))
    let tweets = db
      .selectFrom('social_tweet')
      .select(['seq', 'body'])
      .where(sql<boolean>`words @@ replace(${''}, ${sql.lit(DAY)}, each.day::text)::tsquery`)
      .where(sql<boolean>`seq + 0 >= ${0}`)
      .where(sql<boolean>`seq + 0 < ${0}`)
      .offset(sql.lit(0))
    for (const metric of metrics) tweets = tweets.where(metric, '>=', 0)
    return (
      db
        .selectFrom(days.as('each'))
        .crossJoinLateral(tweets.as('tweet'))
        .select(['tweet.seq', 'tweet.body'])
        .orderBy('each.day', 'desc')
        .orderBy('tweet.seq', 'desc')
        // A literal limit, since for an unknown one the planner assumes a tenth of all rows.
        .limit(sql.lit(limit))
    )
  })
}

/** The last of the searched days if there are more. */
function prepareLastDay(state: State) {
  return state.prepare('last of the days that are searched at once', (db) =>
    db
      .selectFrom('social_tweet_day')
      .select('day')
      .where('day', '>=', 0)
      .where('day', '<', 0)
      .orderBy('day', 'desc')
      .offset(sql.lit(DAYS_AT_ONCE - 1))
      .limit(sql.lit(1)),
  )
}

/** The filter for a day as a PostgreSQL tsquery (https://www.postgresql.org/docs/current/datatype-textsearch.html). */
function toWanted({ all, any, none, facets }: TweetFilter): string {
  const phrase = ({ tokens, isOpen }: TokenPhrase) => {
    const words = tokens.map(
      (token, at) => `${quote(token)}${isOpen && at === tokens.length - 1 ? ':*' : ''}`,
    )
    return `(${words.join(' <-> ')})`
  }
  const parts = [
    ...facets.map((facet) => quote(facet)),
    ...all.map(phrase),
    ...(any.length > 0 ? [`(${any.map(phrase).join(' | ')})`] : []),
    ...none.map((one) => `!${phrase(one)}`),
  ]
  return `(${parts.join(' & ')})`
}

/** Tokens contain neither quotes nor backslashes. */
function quote(token: string): string {
  return `'${DAY}:${token}'`
}
