import { createRandom } from '@tollbook/devchain/demo-week/random'
import type { SocialUser } from '@tollbook/social/model'

/** Words by rank. The frequency of each is about 1/rank, as in real texts (Zipf). */
const WORDS = 30_000
const FIRST_MS = Date.UTC(2025, 0, 1)
const AUTHORS = 5_000
const SIGNS = '日本語の人気紅茶専門店東京大阪'

/**
 * A post of the API v2 as one line of JSON; the same number gives the same post. Fifteen in a hundred are
 * Japanese.
 */
export function toPost(at: number): string {
  const next = createRandom(at + 1)
  const isJapanese = next() < 0.15
  const words = Array.from({ length: 5 + Math.floor(next() * 20) }, () => wordOf(next()))
  const signs = Array.from({ length: 30 }, () => SIGNS[Math.floor(next() * SIGNS.length)]).join('')
  const tag = next() < 0.2 ? ` #tag${rankOf(next())}` : ''
  const id = postId(at)
  return JSON.stringify({
    id,
    text: (isJapanese ? signs : words.join(' ')) + tag,
    author_id: String(1 + Math.floor(next() * AUTHORS)),
    created_at: new Date(FIRST_MS + at * 30_000 + Math.floor(next() * 30_000)).toISOString(),
    lang: isJapanese ? 'ja' : 'en',
    conversation_id: id,
    edit_history_tweet_ids: [id],
    public_metrics: {
      retweet_count: Math.floor(1 / (next() + 0.001)),
      reply_count: Math.floor(next() * 5),
      like_count: Math.floor(3 / (next() + 0.0001)),
      quote_count: 0,
    },
  })
}

/** The authors of all posts. */
export function listAuthors(): SocialUser[] {
  return Array.from({ length: AUTHORS }, (_, at) => ({
    id: String(1 + at),
    name: `Author ${1 + at}`,
    username: `author${1 + at}`,
    verified: false,
    description: 'Writes of tea, harbours and the weather',
    created_at: '2020-01-01T00:00:00.000Z',
    public_metrics: { followers_count: 3 * at, following_count: 10, tweet_count: 200, listed_count: 1 },
  }))
}

export function postId(at: number): string {
  return String(10 ** 15 + at)
}

/** A word; the closer the share is to 1, the rarer the word. */
export function wordOf(share: number): string {
  return `w${rankOf(share).toString(36)}`
}

function rankOf(share: number): number {
  return Math.floor(WORDS ** share)
}
