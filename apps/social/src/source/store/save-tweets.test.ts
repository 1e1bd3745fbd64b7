import assert from 'node:assert/strict'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { socialPorts } from '@tollbook/testing/social/open-social'
import { onEveryState } from '@tollbook/testing/state/every-state'
import type { State } from '../../state/state.ts'
import { saveBundle } from './save-bundle.ts'
import { NO_FILTER } from './store-provider.ts'

/** More than two statements of 200 rows, and a rest. */
const TWEETS = 450
const SECOND = 1_000

/** Their times alternate, so that positions and ids have different orders. */
function tweetOf(number: number, text: string) {
  const second = (number * 7) % TWEETS
  return { id: String(1_000 + number), text, created_at: new Date(second * SECOND).toISOString() }
}

async function search(state: State, word: string): Promise<string[]> {
  const { searchTweets } = socialPorts(state).provider.operations
  assert.ok(searchTweets)
  const { signal } = new AbortController()
  const query = { ...NO_FILTER, words: [word] }
  const { data } = await searchTweets(query, { limit: 2 * TWEETS, position: null }, { signal })
  return data.map(({ id }) => id).sort()
}

onEveryState(
  'many tweets saved at once are found by their words, updated ones by their new words',
  async (state) => {
    const numbers = Array.from({ length: TWEETS }, (_, at) => at)
    await saveBundle(state, { tweets: numbers.map((at) => tweetOf(at, `bread number${at}`)) }, TEST_TIME)
    assert.equal((await search(state, 'bread')).length, TWEETS)
    assert.deepEqual(await search(state, 'number449'), ['1449'])

    // A third is updated with another text, a third is unchanged, and some are new, one of them twice.
    const again = numbers.filter((at) => at % 3 === 0).map((at) => tweetOf(at, `tea number${at}`))
    const same = numbers.filter((at) => at % 3 === 1).map((at) => tweetOf(at, `bread number${at}`))
    const added = [tweetOf(500, 'harbour early'), tweetOf(501, 'harbour'), tweetOf(500, 'harbour late')]
    await saveBundle(state, { tweets: [...added, ...same, ...again] }, TEST_TIME)
    assert.deepEqual(await search(state, 'tea'), again.map(({ id }) => id).sort())
    assert.equal((await search(state, 'bread')).length, (TWEETS / 3) * 2)
    assert.deepEqual(await search(state, 'harbour'), ['1500', '1501'])
    assert.deepEqual(await search(state, 'early'), [])
    assert.deepEqual(await search(state, 'late'), ['1500'])
  },
)
