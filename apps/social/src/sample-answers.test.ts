import assert from 'node:assert/strict'
import { TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { openSocial, testSessionKeys } from '@tollbook/testing/social/open-social'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { issueSession } from './session/session-store.ts'
import { seedSample } from './source/store/seed-sample.ts'
import type { State } from './state/state.ts'

/** Their examples show a part of the answer. */
const SHORTENED = new Set(['/lists/tweets'])
/** Their input contains a file or a token, which is specific to each installation. */
const OF_SESSIONS = new Set(['/tweets/mentions', '/tweets/mediaUpload', '/media/{id}'])

async function open(state: State) {
  await seedSample(state, TEST_TIME)
  return openSocial(state)
}

onSqliteState('the sample data returns every example as documented', async (state) => {
  const { service, ask } = await open(state)
  for (const { path, example } of service.endpoints) {
    if (SHORTENED.has(path) || OF_SESSIONS.has(path)) continue
    const { status, body } = await ask(`${path}?${new URLSearchParams(example.input)}`, { payer: TEST_PAYER })
    assert.equal(status, 200, path)
    // The full answer may include more than a shortened example.
    if (path !== '/users/by/username') assert.deepEqual(body, example.output, path)
  }
})

onSqliteState(
  'malformed and unknown ids are rejected uncharged, with their issue in the challenge',
  async (state) => {
    const { service, ask } = await open(state)
    const byId = service.endpoints.filter(
      ({ input, pricing }) => 'id' in input.shape && pricing.kind !== 'free',
    )
    assert.equal(byId.length, 12)
    for (const { path } of byId) {
      for (const id of ['', 'x', '-1', '1.5', '12345678901234567890', '9223372036854775808']) {
        const { status, body } = await ask(`${path}?id=${id}`)
        assert.deepEqual([status, body.problem?.code], [402, 'invalid_request'], `${path} ${id}`)
        assert.equal((await ask(`${path}?id=${id}`, { payer: TEST_PAYER })).status, 400)
      }
      const unknown = await ask(`${path}?id=42`, { payer: TEST_PAYER })
      assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found'], path)
    }
  },
)

onSqliteState('a session of a sample user returns the mentions of the example', async (state) => {
  const { service, ask } = await open(state)
  const { authToken } = await issueSession(
    { state, keys: testSessionKeys },
    { userId: '9000000000000000015', grant: null, now: TEST_TIME },
  )
  const { body } = await ask(`/tweets/mentions?auth_token=${authToken}`, { payer: TEST_PAYER })
  const endpoint = service.endpoints.find(({ path }) => path === '/tweets/mentions')
  assert.deepEqual(body, endpoint?.example.output)
})

onSqliteState('a batch accepts at most 50 numeric ids and ignores duplicates', async (state) => {
  const { ask } = await open(state)
  const batch = (ids: readonly string[]) => ask(`/tweets?ids=${ids.join(',')}`, { payer: TEST_PAYER })
  const ids = Array.from({ length: 51 }, (_, at) => String(9100000000000000001n + BigInt(at)))
  assert.equal((await batch(ids)).status, 400)
  assert.equal((await batch(['1', 'x'])).status, 400)
  assert.equal((await batch(['1', ''])).status, 400)
  const { status, body } = await batch([...ids.slice(0, 50), ids[0] ?? ''])
  assert.equal(status, 200)
  // The sample has 45 tweets.
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    ids.slice(0, 45),
  )
  assert.deepEqual(
    body.errors.map(({ value }: { value: string }) => value),
    ids.slice(45, 50),
  )
  // A batch of which nothing is found is an error, which is not charged.
  assert.equal((await batch(ids.slice(45, 50))).status, 404)
})

onSqliteState('a tweet without an article and a missing tweet are different errors', async (state) => {
  const { ask } = await open(state)
  const { status, body } = await ask('/articles/by/id?id=9100000000000000001', { payer: TEST_PAYER })
  assert.equal(status, 404)
  assert.match(body.detail, /has no article/)
})
