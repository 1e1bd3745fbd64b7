import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Problem, ProblemError } from '@tollbook/http/problem'
import { createUpstreamBreaker } from './upstream-breaker.ts'

const NEVER = new AbortController().signal

function open() {
  let nowMs = 0
  let calls = 0
  const breaker = createUpstreamBreaker('search upstream', {
    failures: 2,
    pauseMs: 10_000,
    nowMs: () => nowMs,
  })
  const run = async (outcome: Problem | 'ok' | Error, signal = NEVER) => {
    try {
      return await breaker.run(async () => {
        calls += 1
        if (outcome === 'ok') return 'ok'
        throw outcome instanceof Error ? outcome : new ProblemError(outcome)
      }, signal)
    } catch (error) {
      return error instanceof ProblemError ? error.problem : error
    }
  }
  return { breaker, run, calls: () => calls, pass: (ms: number) => (nowMs += ms) }
}

const FAILED = { code: 'upstream_failed', detail: 'x' } as const
const REFUSED = { code: 'cannot_be_served', detail: 'x' } as const
const paused = (retryAfterSeconds: number) => ({
  code: 'unavailable',
  detail: 'The search upstream keeps failing and is paused for a while.',
  retryAfterSeconds,
})

test('after consecutive failures calls are unavailable until the pause is over, and the upstream is not called', async () => {
  const { breaker, run, calls, pass } = open()
  await run(FAILED)
  assert.equal(breaker.pauseSeconds(), 0)
  await run(FAILED)
  assert.equal(breaker.pauseSeconds(), 10)
  pass(2_500)
  assert.deepEqual(await run('ok'), paused(8))
  assert.equal(calls(), 2)
  pass(7_500)
  assert.equal(await run('ok'), 'ok')
  assert.equal(breaker.pauseSeconds(), 0)
})

test('a 429 pauses the upstream at once, for as long as it requests', async () => {
  const { run } = open()
  await run({ code: 'unavailable', detail: 'x', retryAfterSeconds: 30 })
  assert.deepEqual(await run('ok'), paused(30))
})

test('a rejected request resets the count of failures', async () => {
  const { breaker, run } = open()
  for (const outcome of [FAILED, REFUSED, FAILED, REFUSED]) await run(outcome)
  assert.equal(breaker.pauseSeconds(), 0)
})

test('callers who disconnect and errors of our own do not count as failures of the upstream', async () => {
  const { breaker, run } = open()
  const gone = AbortSignal.abort('gone')
  for (let at = 0; at < 3; at += 1) {
    assert.deepEqual(await run(FAILED, gone), FAILED)
    assert.match(String(await run(new TypeError('a fault'))), /a fault/)
  }
  assert.equal(breaker.pauseSeconds(), 0)
})
