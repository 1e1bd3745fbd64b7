import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import {
  APP_TOKEN,
  openXUpstream,
  type XUpstreamAnswer,
  xProvider,
} from '@tollbook/testing/social/x-upstream'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { State } from '../../state/state.ts'
import type { SocialProvider } from '../provider.ts'

const NEVER = { signal: new AbortController().signal }
const TWEET = { data: { id: '20', text: 'just setting up' } }
const GONE = {
  errors: [
    {
      resource_type: 'tweet',
      parameter: 'id',
      value: '20',
      title: 'Not Found Error',
      type: 'https://api.twitter.com/2/problems/resource-not-found',
    },
  ],
}
const withheld = { title: 'Field Unauthorized', type: 'https://api.x.com/2/problems/field-unauthorized' }
const refusedFields = {
  title: 'Invalid Request',
  type: 'https://api.twitter.com/2/problems/invalid-request',
  errors: [{ parameters: { 'tweet.fields': ['lang'] }, message: 'The query parameter is none.' }],
}

let state: State
const upstream = await openXUpstream()
before(async () => {
  state = await openTestState()
})
after(() => state.close())

function answering(...given: readonly XUpstreamAnswer[]) {
  let at = 0
  upstream.asked.length = 0
  upstream.answer = () => given[Math.min(at++, given.length - 1)] ?? {}
}

const open = (options: Partial<Parameters<typeof xProvider>[0]> = {}) =>
  xProvider({ url: upstream.url, state, ...options })

/** `found`, `null`, or the problem code and the retry time. */
async function ask(x: SocialProvider, signal = NEVER.signal): Promise<string> {
  try {
    return (await x.operations.tweetById?.('20', { signal })) ? 'found' : 'null'
  } catch (error) {
    if (!(error instanceof ProblemError)) return 'left'
    const { code, retryAfterSeconds } = error.problem
    assert.ok(!JSON.stringify([error.message, error.stack, error.problem]).includes(APP_TOKEN))
    return [code, retryAfterSeconds].filter(Boolean).join(' ')
  }
}

test("every failure of the upstream becomes a problem, and only the upstream's own error means not found", async () => {
  const cases: [XUpstreamAnswer, string][] = [
    [{ status: 200, body: GONE }, 'null'],
    [{ status: 404, body: { type: GONE.errors[0]?.type, title: 'Not Found Error' } }, 'null'],
    [{ status: 404, body: { type: 'about:blank', title: 'Not Found' } }, 'upstream_failed'],
    [{ status: 404, body: '<html>' }, 'upstream_failed'],
    [{ status: 400, body: { errors: [{ message: 'no' }] } }, 'upstream_failed'],
    [{ status: 401, body: { title: 'Unauthorized' } }, 'upstream_failed'],
    [{ status: 403, body: { title: 'Forbidden', type: 'x/client-forbidden' } }, 'upstream_failed'],
    [{ status: 302, headers: { location: '/' } }, 'upstream_failed'],
    [{ status: 500, body: TWEET }, 'upstream_failed'],
    [{ status: 503, headers: { 'retry-after': '7' } }, 'upstream_failed 7'],
    [{ status: 200, body: '{"data":{"id":"20","te' }, 'upstream_failed'],
    [{ status: 200, body: TWEET, isCut: true }, 'upstream_failed'],
    [{ status: 200, body: {} }, 'upstream_failed'],
    [{ status: 200, body: { data: { id: '20' } } }, 'upstream_failed'],
    [{ status: 200, body: { ...TWEET, errors: [{ title: 'Service Unavailable' }] } }, 'upstream_failed'],
    [{ status: 200, body: { errors: [{ title: 'Service Unavailable' }] } }, 'upstream_failed'],
    [{ status: 200, body: { errors: [withheld] } }, 'upstream_failed'],
    // A referenced tweet may be gone, and a field may not be public.
    [{ status: 200, body: { ...TWEET, errors: [withheld] } }, 'found'],
    [{ status: 200, body: { ...TWEET, ...GONE } }, 'found'],
  ]
  for (const [given, expected] of cases) {
    answering(given)
    assert.equal(await ask(open()), expected, JSON.stringify(given))
  }
  answering({ isSilent: true })
  assert.equal(await ask(open({ deadlineMs: 30 })), 'upstream_timeout')
  assert.equal(await ask(open({ url: 'http://127.0.0.1:1' })), 'upstream_failed')
})

test('transient errors are attempted three times, and an invalid answer once', async () => {
  answering({ status: 500 }, { isCut: true }, { body: TWEET })
  assert.equal(await ask(open()), 'found')
  assert.equal(upstream.asked.length, 3)
  answering({ status: 500 })
  assert.equal(await ask(open()), 'upstream_failed')
  assert.equal(upstream.asked.length, 3)
  answering({ status: 401 })
  await ask(open())
  assert.equal(upstream.asked.length, 1)
})

test('a short rate limit is waited for; during a longer one no request is sent', async () => {
  let nowMs = 1_700_000_000_000
  const x = open({ nowMs: () => nowMs })
  const reset = (seconds: number) => ({ 'x-rate-limit-reset': String(1_700_000_000 + seconds) })
  answering({ status: 429, headers: reset(0) }, { body: TWEET })
  assert.equal(await ask(x), 'found')
  answering({ status: 429, headers: reset(900) })
  assert.equal(await ask(x), 'unavailable 900')
  assert.equal(x.pauseSeconds?.('tweetById'), 900)
  assert.equal(x.pauseSeconds?.('followersOf'), 0)
  nowMs += 899_000
  assert.equal(await ask(x), 'unavailable 1')
  assert.equal(upstream.asked.length, 1)
  nowMs += 1_000
  answering({ body: TWEET, headers: { ...reset(1000), 'x-rate-limit-remaining': '0' } })
  assert.equal(await ask(x), 'found')
  assert.equal(await ask(x), 'unavailable 100')
  assert.equal(upstream.asked.length, 1)
})

test('the circuit breaker opens after repeated upstream failures', async () => {
  let nowMs = 0
  const x = open({ breaker: { failures: 2, pauseMs: 10_000, nowMs: () => nowMs } })
  answering({ status: 401 })
  await ask(x)
  await ask(x)
  assert.equal(x.pauseSeconds?.('followersOf'), 10)
  assert.equal(await ask(x), 'unavailable 10')
  assert.equal(upstream.asked.length, 2)
  nowMs += 10_000
  answering({ body: TWEET })
  assert.equal(await ask(x), 'found')
  assert.equal(x.pauseSeconds?.('followersOf'), 0)
})

test('concurrent identical reads share one request, which runs until the last caller disconnects', async () => {
  const x = open()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  upstream.asked.length = 0
  upstream.answer = async () => {
    arrive()
    await held
    return { body: TWEET }
  }
  const leaving = new AbortController()
  const calls = [ask(x, leaving.signal), ask(x), ask(x)]
  await arrived
  leaving.abort(new Error('gone'))
  assert.equal(await calls[0], 'left')
  release()
  assert.deepEqual(await Promise.all(calls), ['left', 'found', 'found'])
  assert.equal(upstream.asked.length, 1)
  const alone = new AbortController()
  upstream.answer = () => {
    alone.abort(new Error('gone'))
    return { isSilent: true }
  }
  assert.equal(await ask(x, alone.signal), 'left')
})

test('after the classic names are rejected, the newer ones are sent', async () => {
  const x = open()
  answering({ status: 400, body: refusedFields }, { body: TWEET })
  assert.equal(await ask(x), 'found')
  assert.equal(await ask(x), 'found')
  const sent = upstream.asked.map(({ query }) =>
    ['tweet.fields', 'post.fields'].filter((name) => query.has(name)),
  )
  assert.deepEqual(sent, [['tweet.fields'], ['post.fields'], ['post.fields']])
  assert.match(upstream.asked[2]?.query.get('expansions') ?? '', /referenced_posts/)
  answering({ status: 400, body: refusedFields })
  assert.equal(await ask(open({ dialect: 'tweet' })), 'upstream_failed')
  assert.equal(upstream.asked.length, 1)
})

test('all processes together fetch no more objects a day than the budget allows', async () => {
  const day = 20_000 * 86_400_000
  let nowMs = day
  const daily = { tweetById: 2, '*': 25 }
  const [x, other] = [0, 1].map(() => open({ daily, nowMs: () => nowMs })) as [SocialProvider, SocialProvider]
  answering({ status: 401 }, { body: TWEET })
  // A failed request fetches no object and gives back its reservation.
  assert.equal(await ask(x), 'upstream_failed')
  assert.equal(await ask(x), 'found')
  assert.equal(await ask(other), 'found')
  assert.equal(await ask(x), 'unavailable 86400')
  assert.equal(await ask(other), 'unavailable 86400')
  assert.equal(x.pauseSeconds?.('tweetById'), 86_400)
  const page = { limit: 20, position: null }
  answering({ body: { meta: { result_count: 2 }, data: [TWEET.data, { id: '21', text: '' }] } })
  const quotes = () => x.operations.quotesOf?.('20', page, NEVER)
  // 20 are taken for a page, and 18 given back: 2, 4, 6, then 26 would be more than 25.
  for (let call = 0; call < 3; call += 1) assert.equal((await quotes())?.data.length, 2)
  await assert.rejects(async () => quotes(), /unavailable/)
  nowMs += 86_400_000
  assert.equal((await quotes())?.data.length, 2)
  // The outcome of an interrupted request is unknown, so 20 stay taken.
  answering({ isCut: true, body: TWEET })
  await assert.rejects(async () => quotes(), /upstream_failed/)
  await assert.rejects(async () => quotes(), /unavailable/)
  assert.equal(await ask(open({ daily, nowMs: () => nowMs, url: 'http://127.0.0.1:1' })), 'upstream_failed')
  answering({ body: TWEET })
  assert.equal(await ask(x), 'found')
  assert.equal(await ask(x), 'found')
})
