import { sql } from 'kysely'
import type { State } from '../../../../state/state.ts'
import type { TokenPhrase } from '../../../text/tokens.ts'
import { dayOf } from './save-words.ts'
import type { FoundRow } from './sqlite-search.ts'
import type { TweetFilter } from './tweet-filter.ts'

/** Days that one statement looks at: few at first, for what is frequent, and more the rarer it shows to be. */
const FIRST_DAYS = 2
const MOST_DAYS = 256

type Asked = { readonly before: number | null; readonly limit: number; readonly signal: AbortSignal }

/**
 * The newest tweets that fit and stand before a place. An inverted index knows no order, so each token stands
 * there by day, and days are asked from the newest on until the page is full.
 */
export async function searchPostgres(state: State, filter: TweetFilter, asked: Asked): Promise<FoundRow[]> {
  const { limit, signal } = asked
  const bounds = [filter.before, asked.before].filter((bound) => bound !== null)
  const before = bounds.length > 0 ? Math.min(...bounds) : null
  const found: FoundRow[] = []
  let day = before === null ? null : dayOf(before - 1) + 1
  for (let width = FIRST_DAYS; found.length < limit; width = Math.min(2 * width, MOST_DAYS)) {
    signal.throwIfAborted()
    const days = await readDays(state, { before: day, from: dayOf(filter.from), most: width })
    const last = days.at(-1)
    if (last === undefined) break
    const wanted = days.map((one) => toWanted(filter, one)).join(' | ')
    let query = state.db
      .selectFrom('social_tweet')
      .select(['seq', 'body'])
      .where(sql<boolean>`words @@ ${wanted}::tsquery`)
      .where('seq', '>=', filter.from)
      .orderBy('seq', 'desc')
      .limit(limit - found.length)
    if (before !== null) query = query.where('seq', '<', before)
    for (const metric of ['likes', 'reposts', 'replies'] as const) {
      const least = filter.least[metric]
      if (least !== null) query = query.where(metric, '>=', least)
    }
    found.push(...(await query.execute()))
    day = last
  }
  return found
}

type Days = { readonly before: number | null; readonly from: number; readonly most: number }

async function readDays(state: State, { before, from, most }: Days): Promise<number[]> {
  let query = state.db.selectFrom('social_tweet_day').select('day').where('day', '>=', from)
  if (before !== null) query = query.where('day', '<', before)
  const rows = await query.orderBy('day', 'desc').limit(most).execute()
  return rows.map(({ day }) => day)
}

/** The filter for one day in the language of PostgreSQL (https://www.postgresql.org/docs/current/datatype-textsearch.html). */
function toWanted({ all, any, none, facets }: TweetFilter, day: number): string {
  const phrase = ({ tokens, isOpen }: TokenPhrase) => {
    const words = tokens.map(
      (token, at) => `${quote(day, token)}${isOpen && at === tokens.length - 1 ? ':*' : ''}`,
    )
    return `(${words.join(' <-> ')})`
  }
  const parts = [
    ...facets.map((facet) => quote(day, facet)),
    ...all.map(phrase),
    ...(any.length > 0 ? [`(${any.map(phrase).join(' | ')})`] : []),
    ...none.map((one) => `!${phrase(one)}`),
  ]
  return `(${parts.join(' & ')})`
}

/** Tokens hold neither quotes nor backslashes. */
function quote(day: number, token: string): string {
  return `'${day}:${token}'`
}
