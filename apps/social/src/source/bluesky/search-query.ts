import type { Issue } from '@tollbook/http/problem'
import type { Tweet } from '../../model.ts'
import type { TokenPhrase } from '../../text/tokens.ts'
import type { TweetQuery } from '../provider.ts'
import { toFilter } from '../store/words/tweet-filter.ts'
import { wordsOf } from '../store/words/tweet-words.ts'
import { encodePart, type Parameters } from './bluesky-client.ts'

/** Reserves room for the URL of the AppView and the cursor within the maximum length of a fetched URL. */
const MAX_CHARACTERS = 1_200

/**
 * Issues of queries that Bluesky cannot search: it supports words, hashtags and accounts, and all other
 * filters only narrow the results.
 */
export function findQueryIssues(query: TweetQuery): readonly Issue[] {
  const { words, phrase, anyWords, hashtags, from, mentioning } = query
  const isSought =
    words.length + hashtags.length > 0 ||
    anyWords.length === 1 ||
    [phrase, from, mentioning].some((one) => one !== null)
  if (!isSought) {
    const detail =
      'phrase, hashtags, from or mentioning is required: this source cannot search by other filters alone'
    return [{ parameter: 'words', detail }]
  }
  const parameters = toParameters(query)
  const characters = Object.values(parameters).flat().map(String).map(encodePart).join('').length
  if (characters <= MAX_CHARACTERS) return []
  const detail = `and the other filters are too long (${characters} URL-encoded characters, limit ${MAX_CHARACTERS})`
  return [{ parameter: 'words', detail }]
}

/**
 * A query in the syntax of app.bsky.feed.searchPosts. Each word is quoted, so that none is an operator;
 * filters that the AppView has no parameter for are applied by `isFit`.
 */
export function toParameters(query: TweetQuery): Parameters {
  const { words, phrase, anyWords, hashtags, from, mentioning, since, until, lang } = query
  const sought = [
    ...words,
    ...(phrase === null ? [] : [phrase]),
    ...(anyWords.length === 1 ? anyWords : []),
  ].map(quote)
  return {
    q: sought.join(' ') || hashtags.map((tag) => `#${tag}`).join(' ') || '*',
    sort: 'latest',
    ...(hashtags.length > 0 && { tag: hashtags }),
    ...(from !== null && { author: from }),
    ...(mentioning !== null && { mentions: mentioning }),
    ...(since && { since: since.toISOString() }),
    ...(until && { until: until.toISOString() }),
    ...(lang !== null && { lang }),
  }
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, ' ').trim()}"`
}

/** Whether a found tweet matches the filters that the AppView did not apply: other words, minimum counts, `to`. */
export function isFit(tweet: Tweet, query: TweetQuery, toId: string | null): boolean {
  const filter = toFilter({ ...query, hashtags: [], mentioning: null, lang: null }, { fromId: null, toId })
  const found = wordsOf(tweet)
  if (!filter || !found) return false
  const stands = (phrase: TokenPhrase) => hasPhrase(found.body, phrase)
  const { like_count = -1, retweet_count = -1, reply_count = -1 } = tweet.public_metrics ?? {}
  return (
    filter.all.every(stands) &&
    (filter.any.length === 0 || filter.any.some(stands)) &&
    !filter.none.some(stands) &&
    like_count >= (query.minLikes ?? -1) &&
    retweet_count >= (query.minReposts ?? -1) &&
    reply_count >= (query.minReplies ?? -1) &&
    (toId === null || tweet.in_reply_to_user_id === toId)
  )
}

function hasPhrase(body: readonly string[], { tokens, isOpen }: TokenPhrase): boolean {
  const last = tokens.length - 1
  return body.some((_, at) =>
    tokens.every((token, offset) => {
      const stands = body[at + offset]
      return isOpen && offset === last ? stands?.startsWith(token) === true : stands === token
    }),
  )
}
