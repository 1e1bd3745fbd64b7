import type { Fault } from '../../../catalogue/problem.ts'
import type { Tweet } from '../../model/tweet.ts'
import type { TokenPhrase } from '../../text/tokens.ts'
import { toFilter } from '../store/words/tweet-filter.ts'
import { wordsOf } from '../store/words/tweet-words.ts'
import type { TweetQuery } from '../tweet-query.ts'
import { encodePart, type Parameters } from './bluesky-client.ts'

/** Leaves room for the address of the AppView and the cursor within the longest URL that is fetched. */
const MAX_CHARACTERS = 1_200

/** What Bluesky cannot look for: it takes words, hashtags and accounts, and everything else only narrows those. */
export function findQueryFaults(query: TweetQuery): readonly Fault[] {
  const { words, phrase, anyWords, hashtags, from, mentioning } = query
  const isSought =
    words.length + hashtags.length > 0 ||
    anyWords.length === 1 ||
    [phrase, from, mentioning].some((one) => one !== null)
  if (!isSought) {
    const detail = 'phrase, hashtags, from or mentioning is needed: this source looks for nothing else alone'
    return [{ parameter: 'words', detail }]
  }
  const parameters = toParameters(query)
  const characters = Object.values(parameters).flat().map(String).map(encodePart).join('').length
  if (characters <= MAX_CHARACTERS) return []
  const detail = `and the other filters have ${characters} characters in an address; this source takes ${MAX_CHARACTERS}`
  return [{ parameter: 'words', detail }]
}

/**
 * A search in the words of app.bsky.feed.searchPosts. Each word stands in quotes, in which nothing is an operator;
 * what the AppView has no parameter for is left to `isFit`.
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

/** Whether a tweet that was found fits what the AppView was not asked for: other words, the least counts, `to`. */
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
