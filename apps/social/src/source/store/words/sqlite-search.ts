import { type RawBuilder, sql } from 'kysely'
import type { TokenPhrase } from '../../../text/tokens.ts'
import type { TweetFilter } from './tweet-filter.ts'

export type FoundRow = { readonly seq: number; readonly body: string }

/** The query for the newest tweets that match, before a position: the index is read newest first. */
export function selectTweets(
  filter: TweetFilter,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): RawBuilder<FoundRow> {
  const bounds = [
    ...(filter.from > 0 ? [sql`found.rowid >= ${filter.from}`] : []),
    ...[filter.before, before].filter((bound) => bound !== null).map((bound) => sql`found.rowid < ${bound}`),
    ...(['likes', 'reposts', 'replies'] as const)
      .filter((metric) => filter.min[metric] !== null)
      .map((metric) => sql`tweet.${sql.ref(metric)} >= ${filter.min[metric]}`),
  ]
  const conditions = sql.join([sql`found.social_tweet_words match ${toMatch(filter)}`, ...bounds], sql` and `)
  return sql<FoundRow>`select tweet.seq, tweet.body from social_tweet_words as found
    join social_tweet as tweet on tweet.seq = found.rowid
    where ${conditions} order by found.rowid desc limit ${limit}`
}

/**
 * The filter as an FTS5 query (https://sqlite.org/fts5.html#full_text_query_syntax). Tokens contain no quotes
 * and are quoted, so that none is an operator.
 */
export function toMatch({ all, any, none, facets }: TweetFilter): string {
  const wanted = [
    ...facets.map((facet) => `facet : "${facet}"`),
    ...all.map(toText),
    ...(any.length > 0 ? [`(${any.map(toText).join(' OR ')})`] : []),
  ].join(' AND ')
  return none.length === 0 ? wanted : `(${wanted}) NOT (${none.map(toText).join(' OR ')})`
}

function toText({ tokens, isOpen }: TokenPhrase): string {
  return `body : "${tokens.join(' ')}"${isOpen ? ' *' : ''}`
}
