import { referenceOf, type Tweet } from '../../../model.ts'
import { findHashtags, findMentions } from '../../../text/find-entities.ts'
import { tokensOf } from '../../../text/tokens.ts'

/** The indexed terms of a tweet; deterministic. */
export type TweetWords = {
  readonly body: readonly string[]
  /** One letter for the kind, an underscore, and the value. */
  readonly facets: readonly string[]
}

/** Metrics are indexed by their power of ten, and compared exactly afterwards. */
const METRICS = [
  ['k', 'like_count'],
  ['r', 'retweet_count'],
  ['c', 'reply_count'],
] as const

/** Entities of a source may contain values that are not usernames. */
const USERNAME = /^[\w.-]{1,253}$/

/** Skip runs without whitespace longer than this: they contain no handles, and the URL regex is quadratic on them. */
const MAX_RUN_LENGTH = 2_000

/** A facet of every tweet, for searches without a word. */
export const EVERY_TWEET = 'x_all'

/** The words and facets of a tweet; null for a plain repost, which is found through the original tweet. */
export function wordsOf(tweet: Tweet): TweetWords | null {
  if (referenceOf(tweet, 'retweeted') !== undefined) return null
  const text = tweet.note_tweet?.text ?? tweet.text
  const short = text.replaceAll(/\S+/g, (run) => (run.length > MAX_RUN_LENGTH ? ' ' : run))
  const { mentions = [], hashtags = [] } = tweet.entities ?? {}
  const facets = [
    EVERY_TWEET,
    ...(tweet.author_id === undefined ? [] : [`f_${tweet.author_id}`]),
    ...(tweet.in_reply_to_user_id === undefined ? [] : [`t_${tweet.in_reply_to_user_id}`]),
    ...(tweet.lang === undefined ? [] : [langFacet(tweet.lang)]),
    ...[...findMentions(short), ...mentions.map(({ username }) => username)]
      .filter((username) => USERNAME.test(username))
      .map(mentionFacet),
    ...[...findHashtags(short), ...hashtags].map(({ tag }) => hashtagFacet(tag)),
    ...METRICS.flatMap(([letter, metric]) => powersOf(letter, tweet.public_metrics?.[metric] ?? 0)),
  ]
  return { body: tokensOf(text), facets: [...new Set(facets)] }
}

/** The index splits at ASCII punctuation, so `.` and `-` in handles are replaced by other characters. */
export function mentionFacet(username: string): string {
  return `m_${username.toLowerCase().replaceAll('.', '·').replaceAll('-', '‐')}`
}

/** Hashtags ignore case and accents. */
export function hashtagFacet(tag: string): string {
  return `h_${tokensOf(tag).join('_')}`
}

export function langFacet(lang: string): string {
  return `l_${lang.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')}`
}

/** The facet that every tweet with at least this count has; null if that excludes nothing. */
export function powerFacet(metric: 'likes' | 'reposts' | 'replies', min: number): string | null {
  const letter = { likes: 'k', reposts: 'r', replies: 'c' }[metric]
  return min < 1 ? null : `${letter}_${powerOf(min)}`
}

function powersOf(letter: string, count: number): string[] {
  if (count < 1) return []
  return Array.from({ length: powerOf(count) + 1 }, (_, power) => `${letter}_${power}`)
}

/** The number of digits after the first; avoids the rounding of a logarithm. */
function powerOf(count: number): number {
  return String(Math.floor(count)).length - 1
}
