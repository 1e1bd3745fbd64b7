import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { blueskyProvider, recorded } from '@tollbook/testing/social/bluesky-upstream'
import { openXUpstream, type XUpstreamAnswer } from '@tollbook/testing/social/x-upstream'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { State } from '../../state/state.ts'
import type { SocialProvider } from '../provider.ts'

const profile = recorded('app.bsky.actor.getProfile')
const refused = (error: string, message: string) => ({ status: 400, body: { error, message } })

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

const open = (options: Partial<Parameters<typeof blueskyProvider>[0]> = {}) =>
  blueskyProvider({ url: upstream.url, state, ...options })

/** `found`, `null`, or the problem code and the retry time. */
async function ask(source: SocialProvider, signal = new AbortController().signal): Promise<string> {
  try {
    return (await source.operations.userByUsername?.(profile.handle, { signal })) ? 'found' : 'null'
  } catch (error) {
    if (!(error instanceof ProblemError)) return 'left'
    const { code, retryAfterSeconds } = error.problem
    return [code, retryAfterSeconds].filter(Boolean).join(' ')
  }
}

test('every failure becomes a problem, and only an error of the AppView means not found', async () => {
  const cases: [XUpstreamAnswer, string][] = [
    [{ body: profile }, 'found'],
    [refused('InvalidRequest', 'Profile not found'), 'null'],
    [refused('AccountTakedown', 'Account has been suspended'), 'null'],
    [refused('AccountDeactivated', 'Account is deactivated'), 'null'],
    [refused('InvalidRequest', 'Error: actor must be a valid did or a handle'), 'upstream_failed'],
    [{ status: 404, body: '<html>' }, 'upstream_failed'],
    [{ status: 401, body: { error: 'AuthMissing' } }, 'upstream_failed'],
    [{ status: 403, body: { error: 'Forbidden' } }, 'upstream_failed'],
    [{ status: 501, body: { error: 'MethodNotImplemented' } }, 'upstream_failed'],
    [{ status: 302, headers: { location: '/' } }, 'upstream_failed'],
    [{ status: 500, body: profile }, 'upstream_failed'],
    [{ status: 200, body: '{"did":"did:plc:a","ha' }, 'upstream_failed'],
    [{ status: 200, body: profile, isCut: true }, 'upstream_failed'],
    [{ status: 200, body: {} }, 'upstream_failed'],
    [{ status: 200, body: [] }, 'upstream_failed'],
    [{ status: 200, body: { did: profile.did } }, 'upstream_failed'],
    [{ status: 200, body: 'null' }, 'upstream_failed'],
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
  answering({ status: 500 }, { isCut: true }, { body: profile })
  assert.equal(await ask(open()), 'found')
  assert.equal(upstream.asked.length, 3)
  answering({ status: 502 })
  assert.equal(await ask(open()), 'upstream_failed')
  assert.equal(upstream.asked.length, 3)
  answering({ status: 401 })
  assert.equal(await ask(open()), 'upstream_failed')
  assert.equal(upstream.asked.length, 1)
})

test('a rate limit pauses all calls until ratelimit-reset', async () => {
  let now = 1_700_000_000_000
  const nowMs = () => now
  const source = open({ nowMs, breaker: { nowMs } })
  answering({ status: 429, headers: { 'ratelimit-reset': '1700000042' } }, { body: profile })
  assert.equal(await ask(source), 'unavailable 42')
  assert.equal(source.pauseSeconds?.('tweetById'), 42)
  assert.equal(await ask(source), 'unavailable 42')
  assert.equal(upstream.asked.length, 1)
  now += 42_000
  assert.equal(source.pauseSeconds?.('tweetById'), 0)
  assert.equal(await ask(source), 'found')
})

test('the circuit breaker opens after five consecutive failures of the AppView', async () => {
  let now = 0
  const source = open({ breaker: { nowMs: () => now } })
  answering({ status: 401 })
  for (let call = 0; call < 5; call += 1) assert.equal(await ask(source), 'upstream_failed')
  assert.equal(await ask(source), 'unavailable 15')
  assert.equal(upstream.asked.length, 5)
  now += 15_000
  answering({ body: profile })
  assert.equal(await ask(source), 'found')
})

test('concurrent identical calls share one request, and a disconnecting caller cancels only its own wait', async () => {
  const source = open()
  const leaving = new AbortController()
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const { promise: gate, resolve: release } = Promise.withResolvers<void>()
  upstream.asked.length = 0
  upstream.answer = async () => {
    resolve()
    await gate
    return { body: profile }
  }
  const both = [ask(source, leaving.signal), ask(source)]
  await asked
  leaving.abort()
  release()
  assert.deepEqual(await Promise.all(both), ['left', 'found'])
  assert.equal(upstream.asked.length, 1)
})
