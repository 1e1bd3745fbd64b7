import { createRandom } from '@tollbook/devchain/demo-week/random'
import type { SocialOperations, TweetQuery } from '@tollbook/social/source/provider'
import { percentileOf } from '../utility/contest.ts'
import { wordOf } from './synthetic-posts.ts'

const EVERYTHING: TweetQuery = {
  words: [],
  phrase: null,
  anyWords: [],
  noneWords: [],
  hashtags: [],
  from: null,
  to: null,
  mentioning: null,
  minReplies: null,
  minLikes: null,
  minReposts: null,
  since: null,
  until: null,
  lang: null,
}

export type SearchTimes = { readonly p50Ms: number; readonly p99Ms: number; readonly worstMs: number }

/**
 * Runs the kinds of search in sequence: words, several, a phrase, alternatives, exclusion, hashtags, likes,
 * signs.
 * @param atOnce concurrent searches; default 1.
 */
export async function runSearches(
  { searchTweets }: Partial<SocialOperations>,
  { calls, atOnce = 1 }: { readonly calls: number; readonly atOnce?: number },
): Promise<SearchTimes> {
  if (!searchTweets) throw new Error('the store searches no tweets')
  const { signal } = new AbortController()
  const search = async (query: Partial<TweetQuery> | undefined) => {
    const startedMs = performance.now()
    await searchTweets({ ...EVERYTHING, ...query }, { limit: 20, position: null }, { signal })
    return performance.now() - startedMs
  }
  const queries = toQueries(calls)
  // Warm-up: the first searches of each kind start the thread and compile.
  for (const query of queries.slice(0, 8)) await search(query)
  const times: number[] = []
  let at = 0
  const work = async () => {
    while (at < queries.length) times.push(await search(queries[at++]))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const [p50Ms = 0, p99Ms = 0, worstMs = 0] = [0.5, 0.99, 1].map((share) => percentileOf(times, share))
  return { p50Ms, p99Ms, worstMs }
}

function toQueries(calls: number): readonly Partial<TweetQuery>[] {
  const next = createRandom(11)
  const word = () => wordOf(next())
  const kinds: readonly (() => Partial<TweetQuery>)[] = [
    () => ({ words: [word()] }),
    () => ({ words: [word(), word()] }),
    () => ({ phrase: `${word()} ${word()}` }),
    () => ({ anyWords: [word(), word(), word(), word(), word()] }),
    () => ({ words: [word()], noneWords: [wordOf(0)] }),
    () => ({ hashtags: [`tag${1 + Math.floor(next() * 50)}`] }),
    () => ({ words: [wordOf(0)], minLikes: 10 ** Math.floor(next() * 5) }),
    () => ({ words: ['紅茶'], lang: 'ja' }),
  ]
  return Array.from({ length: calls }, (_, at) => kinds[at % kinds.length]?.() ?? {})
}
