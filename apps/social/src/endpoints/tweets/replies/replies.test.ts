import assert from 'node:assert/strict'
import { TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { openSocial } from '@tollbook/testing/social/open-social'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { saveBundle } from '../../../source/store/save-bundle.ts'

const parent = { id: '100', text: 'A question', created_at: '2026-11-01T00:00:00.000Z' }

function reply(number: number) {
  return {
    id: String(200 + number),
    text: `Answer ${number}`,
    author_id: '7',
    // Two per second.
    created_at: new Date(Date.UTC(2026, 10, 1, 0, 0, Math.floor(number / 2))).toISOString(),
    referenced_tweets: [{ type: 'replied_to' as const, id: '100' }],
  }
}

onEveryState('replies are paginated newest first, and inserts do not shift pages', async (state) => {
  const numbers = Array.from({ length: 70 }, (_, at) => at)
  const users = [{ id: '7', name: 'Seven', username: 'seven' }]
  await saveBundle(state, { users, tweets: [parent, ...numbers.map(reply)] }, TEST_TIME)
  const { ask } = await openSocial(state)
  const page = (query: string) => ask(`/tweets/replies?${query}`, { payer: TEST_PAYER })

  const first = await page('id=100')
  assert.equal(first.status, 200)
  assert.equal(first.body.data.length, 30)
  assert.deepEqual(first.body.data[0].author, users[0])
  assert.deepEqual(first.body.includes.users, users)
  assert.equal(first.body.meta.result_count, 30)
  assert.equal(first.body.meta.newest_id, '269')
  await saveBundle(state, { tweets: [reply(70), reply(71)] }, TEST_TIME)

  const second = await page(`id=100&next_token=${first.body.meta.next_token}`)
  const third = await page(`id=100&next_token=${second.body.meta.next_token}`)
  assert.equal(third.body.meta.next_token, undefined)
  const seen = [first, second, third].flatMap(({ body }) => body.data.map(({ id }: { id: string }) => id))
  assert.deepEqual(new Set(seen), new Set(numbers.map((number) => String(200 + number))))
  assert.equal(seen.length, 70)

  const none = await page('id=269')
  assert.deepEqual([none.status, none.body.detail], [422, 'Nothing was found.'])
  assert.equal((await page('id=999')).status, 404)
})

onEveryState('a forged token, or one of another list, is reported in the challenge', async (state) => {
  await saveBundle(
    state,
    { tweets: [parent, ...Array.from({ length: 40 }, (_, at) => reply(at))] },
    TEST_TIME,
  )
  const { ask } = await openSocial(state)
  const { next_token } = (await ask('/tweets/replies?id=100', { payer: TEST_PAYER })).body.meta
  for (const query of [
    `id=101&next_token=${next_token}`,
    'id=100&next_token=abc',
    'id=1e3',
    'id=9223372036854775808',
  ]) {
    const unpaid = await ask(`/tweets/replies?${query}`)
    assert.equal(unpaid.status, 402)
    assert.equal(unpaid.body.problem.code, 'invalid_request')
    assert.equal((await ask(`/tweets/replies?${query}`, { payer: TEST_PAYER })).status, 400)
  }
})
