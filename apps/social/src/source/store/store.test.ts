import assert from 'node:assert/strict'
import { test } from 'node:test'
import { socialPorts } from '@tollbook/testing/social/open-social'
import { onEveryState } from '@tollbook/testing/state/every-state'
import SAMPLE from '../../sample/users.json' with { type: 'json' }
import type { State } from '../../state/state.ts'
import { saveBundle } from './save-bundle.ts'
import { seedSample } from './seed-sample.ts'

const asking = { signal: new AbortController().signal }
const now = new Date('2026-11-21T10:00:00.000Z')
const bob = { id: '1', name: 'Bob', username: 'Bob_B' }

function findUser(state: State) {
  const { userByUsername } = socialPorts(state).provider.operations
  assert.ok(userByUsername)
  return userByUsername
}

onEveryState('a user is found by name in any case, in the version stored last', async (state) => {
  const userByUsername = findUser(state)
  await saveBundle(state, { users: [bob] }, now)
  for (const name of ['Bob_B', 'bob_b', 'BOB_B']) assert.deepEqual(await userByUsername(name, asking), bob)
  assert.equal(await userByUsername('bob', asking), null)
  await saveBundle(state, { users: [{ ...bob, username: 'robert', verified: true }] }, now)
  assert.equal(await userByUsername('bob_b', asking), null)
  assert.deepEqual(await userByUsername('robert', asking), {
    ...bob,
    username: 'robert',
    verified: true,
  })
})

onEveryState('a name that changes hands belongs to its new owner', async (state) => {
  await saveBundle(state, { users: [bob, { id: '2', name: 'Other', username: 'bob_b' }] }, now)
  const found = await findUser(state)('bob_b', asking)
  assert.equal(found?.id, '2')
  assert.equal((await state.db.selectFrom('social_user').select('id').execute()).length, 1)
})

onEveryState('a search for words with the character NUL finds them', async (state) => {
  const { searchUsers } = socialPorts(state).provider.operations
  assert.ok(searchUsers)
  await saveBundle(state, { users: [bob] }, now)
  const { data } = await searchUsers('\0Bob', { limit: 5, position: null }, asking)
  assert.deepEqual(data, [bob])
})

onEveryState('a user that is not valid as an answer is not stored', async (state) => {
  await assert.rejects(saveBundle(state, { users: [{ ...bob, id: 'x' }] }, now))
  assert.deepEqual(await state.db.selectFrom('social_user').selectAll().execute(), [])
})

onEveryState('sample users are stored once, and never next to real ones', async (state) => {
  assert.equal(await seedSample(state, now), 20)
  assert.equal(await seedSample(state, now), 0)
  await state.db.deleteFrom('social_user').execute()
  await saveBundle(state, { users: [bob] }, now)
  assert.equal(await seedSample(state, now), 0)
})

test('the sample data states that it is invented', () => {
  assert.match(SAMPLE.about, /^Invented accounts/)
  for (const { username, url } of SAMPLE.users) {
    assert.match(username, /sample/)
    assert.match(url, /^https:\/\/example\.com\//)
  }
})
