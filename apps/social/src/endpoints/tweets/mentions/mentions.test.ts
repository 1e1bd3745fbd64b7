import assert from 'node:assert/strict'
import { TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { openSocial, testSessionKeys } from '@tollbook/testing/social/open-social'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { Tweet } from '../../../model.ts'
import { endSessionsOf, issueSession } from '../../../session/session-store.ts'
import { saveBundle } from '../../../source/store/save-bundle.ts'
import type { State } from '../../../state/state.ts'

const ANN = { id: '11', name: 'Ann', username: 'ann_b' }
const BEN = { id: '12', name: 'Ben', username: 'ben.example-1.org' }
const HOUR_MS = 3_600_000

/** The tweet of an hour; later ones are newer. */
function tweetOf(hour: number, provided: Partial<Tweet>): Tweet {
  const created_at = new Date(TEST_TIME.getTime() + hour * HOUR_MS).toISOString()
  return { id: String(1000 + hour), text: 'Nobody is meant.', created_at, ...provided }
}

async function open(state: State, tweets: readonly Tweet[]) {
  await saveBundle(state, { users: [ANN, BEN], tweets }, TEST_TIME)
  const issue = (userId: string) =>
    issueSession({ state, keys: testSessionKeys }, { userId, grant: null, now: TEST_TIME })
  const { ask, setTime } = await openSocial(state)
  const mentions = (parameters: Record<string, string>, payer: typeof TEST_PAYER | null = TEST_PAYER) =>
    ask(`/tweets/mentions?${new URLSearchParams(parameters)}`, payer ? { payer } : {})
  return { ask, mentions, setTime, session: await issue(ANN.id), other: await issue(BEN.id) }
}

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => Number(id))

onEveryState('mentions are paginated newest first, and inserts do not shift pages', async (state) => {
  // 45 mentions, every third tweet of 135.
  const tweets = Array.from({ length: 135 }, (_, hour) =>
    tweetOf(hour, hour % 3 === 0 ? { text: `Hello @ANN_b, ${hour}` } : { text: `Hello @ann_bc, ${hour}` }),
  )
  const { mentions, session } = await open(state, tweets)
  const token = { auth_token: session.authToken }
  const first = await mentions(token)
  assert.equal(first.status, 200)
  await saveBundle(state, { tweets: [tweetOf(500, { text: 'Now, @ann_b' })] }, TEST_TIME)
  const second = await mentions({ ...token, next_token: first.body.meta.next_token })
  // A follow-up page continues the same list with or without the second value.
  const third = await mentions({ ...token, ct0: session.ct0, next_token: second.body.meta.next_token })
  const pages = [first, second, third].map(({ body }) => idsOf(body))
  assert.deepEqual(
    pages.map((page) => page.length),
    [20, 20, 5],
  )
  // 1132 is the tweet of hour 132, the last that is divisible by 3.
  assert.deepEqual(
    pages.flat(),
    Array.from({ length: 45 }, (_, at) => 1132 - 3 * at),
  )
  assert.equal(third.body.meta.next_token, undefined)
  assert.equal(idsOf((await mentions(token)).body)[0], 1500)
})

onEveryState('mentions are found in the text or the entities, never in a repost', async (state) => {
  const entities = { mentions: [{ start: 0, end: 5, username: BEN.username, id: BEN.id }] }
  const { mentions, session, other } = await open(state, [
    tweetOf(1, { text: 'In the text: @ann_b' }),
    tweetOf(2, { text: 'In the entities alone', entities }),
    tweetOf(3, { entities: { mentions: [{ start: 0, end: 1, username: `${BEN.username}.uk` }] } }),
    tweetOf(4, { text: 'RT @x: @ann_b', referenced_tweets: [{ type: 'retweeted', id: '1001' }] }),
    tweetOf(5, { entities: { mentions: [{ start: 0, end: 1, username: `x' "m_ann_b" OR` }] } }),
  ])
  const ofAnn = await mentions({ auth_token: session.authToken })
  const ofBen = await mentions({ auth_token: other.authToken })
  assert.deepEqual([idsOf(ofAnn.body), idsOf(ofBen.body)], [[1001], [1002]])
})

onSqliteState('both values can be sent as headers, so that they appear in no URL', async (state) => {
  const { ask, mentions, session, other } = await open(state, [tweetOf(1, { text: 'Hello @ann_b' })])
  const headers = { 'X-Auth-Token': session.authToken, 'X-Ct0': session.ct0 }
  const inHeaders = await ask('/tweets/mentions', { headers, payer: TEST_PAYER })
  assert.deepEqual(idsOf(inHeaders.body), [1001])
  assert.deepEqual(inHeaders.body, (await mentions({ auth_token: session.authToken, ct0: session.ct0 })).body)
  const posted = await ask('/tweets/mentions', { method: 'POST', headers, payer: TEST_PAYER })
  assert.equal(posted.status, 200)
  const crossed = { ...headers, 'X-Ct0': other.ct0 }
  const unpaid = await ask('/tweets/mentions', { headers: crossed })
  assert.deepEqual([unpaid.status, unpaid.body.problem.code], [402, 'credential_refused'])
  assert.equal((await ask('/tweets/mentions', { headers: crossed, payer: TEST_PAYER })).status, 403)
  const twice = await ask(`/tweets/mentions?auth_token=${session.authToken}`, { headers, payer: TEST_PAYER })
  assert.deepEqual([twice.status, twice.body.issues[0].parameter], [400, 'auth_token'])
  assert.ok(!twice.text.includes(session.authToken))
  const preflight = await ask('/tweets/mentions', { method: 'OPTIONS' })
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /, x-auth-token, x-ct0$/)
  // Endpoints that declare no headers do not list these.
  assert.equal((await ask('/users/by/username', { headers, payer: TEST_PAYER })).status, 400)
})

onSqliteState(
  'only a valid session is answered, and a wrong second value is reported before payment',
  async (state) => {
    // Without a mention a valid session is refused as well, as an empty answer.
    const { ask, mentions, setTime, session, other } = await open(state, [])
    const token = { auth_token: session.authToken }
    assert.equal((await mentions({ ...token, ct0: session.ct0 })).status, 422)
    const body = { ...token, ct0: session.ct0 }
    const posted = await ask('/tweets/mentions', { method: 'POST', body, payer: TEST_PAYER })
    assert.equal(posted.status, 422)

    for (const ct0 of [other.ct0, 'x', session.ct0.toUpperCase()]) {
      const paid = await mentions({ ...token, ct0 })
      assert.deepEqual([paid.status, paid.body.code], [403, 'credential_refused'])
      const unpaid = await mentions({ ...token, ct0 }, null)
      assert.deepEqual([unpaid.status, unpaid.body.problem.code], [402, 'credential_refused'])
      assert.equal(unpaid.body.problem.issues[0].parameter, 'ct0')
      for (const { text } of [paid, unpaid]) assert.ok(!text.includes(session.authToken))
    }
    for (const auth_token of ['', 'x', session.authToken.toUpperCase(), `${session.authToken}0`])
      assert.equal((await mentions({ auth_token })).status, 400, auth_token)
    const unknown = await mentions({ auth_token: '0'.repeat(40) })
    assert.deepEqual([unknown.status, unknown.body.code], [403, 'credential_refused'])
    // A token continues a list for its own session only.
    const foreign = await mentions({ ...token, next_token: 'AQ' })
    assert.deepEqual([foreign.status, foreign.body.issues[0].parameter], [400, 'next_token'])

    setTime(new Date(session.expiresAt.getTime() - 1))
    assert.equal((await mentions(token)).status, 422)
    setTime(session.expiresAt)
    const expired = await mentions(token)
    assert.deepEqual([expired.status, expired.body.code], [403, 'credential_refused'])
    setTime(TEST_TIME)
    assert.equal(await endSessionsOf(state, ANN.id, TEST_TIME), 1)
    assert.equal((await mentions(token)).status, 403)
    assert.equal((await mentions({ auth_token: other.authToken })).status, 422)
  },
)
