import { referenceOf, type Tweet } from '../../../model/tweet.ts'
import { findEntities } from '../../../text/find-entities.ts'
import { tokensOf } from '../../../text/tokens.ts'

/** What a tweet is found by; the same for the same tweet. */
export type TweetWords = {
  readonly body: readonly string[]
  /** One letter for what it says, an underscore, and its value. */
  readonly facets: readonly string[]
}

/** Metrics are found by their power of ten first, and compared exactly afterwards. */
const METRICS = [
  ['k', 'like_count'],
  ['r', 'retweet_count'],
  ['c', 'reply_count'],
] as const

/** What entities of a source may hold beside it is no username. */
const USERNAME = /^[\w.-]{1,253}$/

/**
 * Whoever writes without spaces for longer names nobody in there. The pattern of URLs tries the beginnings of all
 * names in a run, with all their ends.
 */
const MAX_RUN_LENGTH = 2_000

/** Stands by every tweet, for searches without a word. */
export const EVERY_TWEET = 'x_all'

/** The words and facets of a tweet; null for a mere repost, which is found by what it repeats. */
export function wordsOf(tweet: Tweet): TweetWords | null {
  if (referenceOf(tweet, 'retweeted') !== undefined) return null
  const text = tweet.note_tweet?.text ?? tweet.text
  const found = findEntities(text.replaceAll(/\S+/g, (run) => (run.length > MAX_RUN_LENGTH ? ' ' : run)))
  const facets = [
    EVERY_TWEET,
    ...(tweet.author_id === undefined ? [] : [`f_${tweet.author_id}`]),
    ...(tweet.in_reply_to_user_id === undefined ? [] : [`t_${tweet.in_reply_to_user_id}`]),
    ...(tweet.lang === undefined ? [] : [langFacet(tweet.lang)]),
    ...[...found.mentions, ...(tweet.entities?.mentions ?? [])]
      .filter(({ username }) => USERNAME.test(username))
      .map(({ username }) => mentionFacet(username)),
    ...[...found.hashtags, ...(tweet.entities?.hashtags ?? [])].map(({ tag }) => hashtagFacet(tag)),
    ...METRICS.flatMap(([letter, metric]) => powersOf(letter, tweet.public_metrics?.[metric] ?? 0)),
  ]
  return { body: tokensOf(text), facets: [...new Set(facets)] }
}

/** The index splits at ASCII signs, so those of handles that are domain names are written by others. */
export function mentionFacet(username: string): string {
  return `m_${username.toLowerCase().replaceAll('.', '·').replaceAll('-', '‐')}`
}

/** Hashtags are the same whatever their case and accents. */
export function hashtagFacet(tag: string): string {
  return `h_${tokensOf(tag).join('_')}`
}

export function langFacet(lang: string): string {
  return `l_${lang.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')}`
}

/** The facet that every tweet with at least so many has; null where that tells nothing. */
export function powerFacet(metric: 'likes' | 'reposts' | 'replies', min: number): string | null {
  const letter = { likes: 'k', reposts: 'r', replies: 'c' }[metric]
  return min < 1 ? null : `${letter}_${powerOf(min)}`
}

function powersOf(letter: string, count: number): string[] {
  if (count < 1) return []
  return Array.from({ length: powerOf(count) + 1 }, (_, power) => `${letter}_${power}`)
}

/** The digits after the first, so that no logarithm is rounded. */
function powerOf(count: number): number {
  return String(Math.floor(count)).length - 1
}
