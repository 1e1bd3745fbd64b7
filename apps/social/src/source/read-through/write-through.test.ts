import assert from 'node:assert/strict'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { readBodies } from '../store/read-bodies.ts'
import { writeThrough } from './write-through.ts'

const ids = Array.from({ length: 12 }, (_, at) => String(100 + at))
const users = ids.map((id) => ({ id, name: `User ${id}`, username: `user_${id}` }))
const tweets = ids.map((id) => ({
  id,
  text: `Tide ${id}`,
  author_id: id,
  created_at: '2026-11-01T00:00:00.000Z',
}))

onEveryState('overlapping pages can be stored concurrently in any order', async (state) => {
  const turned = <Item>(items: readonly Item[], by: number) => [...items.slice(by), ...items.slice(0, by)]
  const writes = ids.map((_, by) => {
    const isBackwards = by % 2 === 1
    const page = { tweets: turned(isBackwards ? tweets.toReversed() : tweets, by) }
    return writeThrough(
      state,
      page,
      { users: turned(isBackwards ? users : users.toReversed(), by) },
      TEST_TIME,
    )
  })
  await Promise.all(writes)
  assert.equal((await readBodies(state, 'social_tweet', ids)).length, 12)
  assert.equal((await readBodies(state, 'social_user', ids)).length, 12)
})

onEveryState(
  'of an object that is both requested and referred to, the requested one is stored',
  async (state) => {
    const sent = { id: '100', text: 'Asked for', author_id: '100' }
    await writeThrough(state, { tweets: [sent] }, { tweets: [{ id: '100', text: 'Referred to' }] }, TEST_TIME)
    assert.deepEqual(await readBodies(state, 'social_tweet', ['100']), [sent])
  },
)
