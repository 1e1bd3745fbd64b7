import assert from 'node:assert/strict'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { socialPorts } from '@tollbook/testing/social/open-social'
import { onEveryState } from '@tollbook/testing/state/every-state'
import type { Tweet } from '../../model.ts'
import type { TweetQuery } from '../provider.ts'
import { saveBundle } from './save-bundle.ts'

const DAY = 86_400_000
const DAYS = 700
const NO_FILTER: TweetQuery = {
  words: [],
  phrase: null,
  anyWords: [],
  noneWords: [],
  hashtags: [],
  from: null,
  to: null,
  mentioning: null,
  lang: null,
  since: null,
  until: null,
  minReplies: null,
  minLikes: null,
  minReposts: null,
}

/** One tweet every other day; every hundredth contains tea. */
const tweets: readonly Tweet[] = Array.from({ length: DAYS / 2 }, (_, at) => ({
  id: String(1000 + at),
  text: at % 100 === 0 ? 'tea again' : 'no news',
  created_at: new Date(TEST_TIME.getTime() - (DAYS - 2 * at) * DAY).toISOString(),
  public_metrics: { like_count: at },
}))

onEveryState('a search covers years of days, including years without a tweet', async (state) => {
  const { searchTweets } = socialPorts(state).provider.operations
  assert.ok(searchTweets)
  const { signal } = new AbortController()
  await saveBundle(state, { tweets }, TEST_TIME)
  const search = async (query: Partial<TweetQuery>, limit = 20) => {
    const pages: string[][] = []
    let position: string | null = null
    do {
      const page: Awaited<ReturnType<typeof searchTweets>> = await searchTweets(
        { ...NO_FILTER, ...query },
        { limit, position },
        { signal },
      )
      pages.push(page.data.map(({ id }) => id))
      position = page.next
    } while (position !== null)
    return pages
  }
  assert.deepEqual(await search({ words: ['tea'] }), [['1300', '1200', '1100', '1000']])
  assert.deepEqual(await search({ words: ['tea'] }, 3), [['1300', '1200', '1100'], ['1000']])
  assert.deepEqual(await search({ words: ['tea'], minLikes: 100 }, 1), [['1300'], ['1200'], ['1100']])
  assert.deepEqual(await search({ words: ['coffee'] }), [[]])
  const until = new Date(tweets[101]?.created_at ?? '')
  assert.deepEqual(await search({ words: ['tea'], until }), [['1100', '1000']])
  assert.deepEqual(await search({ words: ['tea'], since: until }), [['1300', '1200']])
  const all = await search({ words: ['news'] }, 100)
  assert.deepEqual(
    all.map((page) => page.length),
    [100, 100, 100, 46],
  )
  assert.equal(new Set(all.flat()).size, 346)
})

onEveryState('an aborted search reads no further day', async (state) => {
  const { searchTweets } = socialPorts(state).provider.operations
  assert.ok(searchTweets)
  await saveBundle(state, { tweets }, TEST_TIME)
  const searching = searchTweets(
    { ...NO_FILTER, words: ['tea'] },
    { limit: 20, position: null },
    { signal: AbortSignal.abort() },
  )
  await assert.rejects(async () => searching, { name: 'AbortError' })
})
