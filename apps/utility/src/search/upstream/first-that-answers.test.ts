import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import type { SearchBackend, SearchQuery } from '../search-backend.ts'
import { firstThatAnswers } from './first-that-answers.ts'
import { createSearxng } from './searxng.ts'

const NEVER = new AbortController().signal
const QUERY: SearchQuery = {
  text: 'tide tables',
  maxResults: 5,
  topic: 'general',
  days: null,
  includeDomains: [],
  excludeDomains: [],
  now: TEST_TIME,
}
const OK = { status: 200, body: '{"results":[]}' }
const BROKEN = { status: 500, body: '' }

/** Behaviour of the upstream, and the number of its calls. */
let answer: { readonly status: number; readonly body: string; readonly headers?: object }
let requested = 0
/** Resolves when the upstream may answer. */
let held = Promise.withResolvers<void>()
held.resolve()
const server = createServer(async (_, response) => {
  requested += 1
  await held.promise
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
  response.end(answer.body)
})
before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const fetch = createSafeFetch({ allowPrivateNetwork: true })
const openUpstream = () => {
  requested = 0
  answer = OK
  const { port } = server.address() as AddressInfo
  return createSearxng({ url: `http://127.0.0.1:${port}`, fetch })
}

/** `ok`, or the code and retry time of the problem. */
const ask = (backend: SearchBackend, signal = NEVER) =>
  backend.search(QUERY, signal).then(
    () => 'ok',
    (error: unknown) =>
      error instanceof ProblemError
        ? [error.problem.code, error.problem.retryAfterSeconds].filter(Boolean).join(' ')
        : 'left',
  )

test('consecutive failures open the circuit; each failed trial call doubles the pause', async () => {
  let nowMs = 0
  const options = { failures: 2, pauseMs: 10_000, maxPauseMs: 30_000, nowMs: () => nowMs }
  const backend = firstThatAnswers([openUpstream()], options)
  answer = BROKEN
  assert.deepEqual([await ask(backend), backend.pauseSeconds?.()], ['upstream_failed', 0])
  assert.deepEqual([await ask(backend), backend.pauseSeconds?.()], ['upstream_failed', 10])
  nowMs += 4_000
  assert.deepEqual([await ask(backend), requested], ['unavailable 6', 2])
  nowMs += 6_000
  assert.deepEqual([await ask(backend), backend.pauseSeconds?.(), requested], ['upstream_failed', 20, 3])
  nowMs += 20_000
  // 10, 20, 40 s, but 30 at most.
  assert.deepEqual([await ask(backend), backend.pauseSeconds?.()], ['upstream_failed', 30])
  nowMs += 30_000
  answer = OK
  assert.deepEqual([await ask(backend), await ask(backend), backend.pauseSeconds?.()], ['ok', 'ok', 0])
  answer = BROKEN
  assert.equal(await ask(backend), 'upstream_failed')
  assert.equal(backend.pauseSeconds?.(), 0)
})

test('one call tries the upstream while the others are rejected', async () => {
  let nowMs = 0
  const backend = firstThatAnswers([openUpstream()], { failures: 1, pauseMs: 1_000, nowMs: () => nowMs })
  answer = BROKEN
  await ask(backend)
  nowMs += 1_000
  answer = OK
  held = Promise.withResolvers()
  const trial = ask(backend)
  assert.deepEqual([await ask(backend), await ask(backend)], ['unavailable 1', 'unavailable 1'])
  held.resolve()
  assert.deepEqual([await trial, requested, await ask(backend)], ['ok', 2, 'ok'])
})

test('successes between failures, and callers who disconnect, do not open the circuit', async () => {
  const backend = firstThatAnswers([openUpstream()], { failures: 2, nowMs: () => 0 })
  for (const now of [BROKEN, OK, BROKEN, OK]) {
    answer = now
    await ask(backend)
  }
  held = Promise.withResolvers()
  for (let caller = 0; caller < 3; caller += 1) {
    const leaving = new AbortController()
    const asking = ask(backend, leaving.signal)
    leaving.abort(new Error('gone'))
    assert.equal(await asking, 'left')
  }
  held.resolve()
  assert.equal(backend.pauseSeconds?.(), 0)
})

test('a pause that the upstream requests is respected', async () => {
  let nowMs = 0
  const backend = firstThatAnswers([openUpstream()], { nowMs: () => nowMs })
  answer = { status: 429, body: '', headers: { 'retry-after': '7' } }
  assert.equal(await ask(backend), 'unavailable 7')
  nowMs += 2_000
  assert.deepEqual([await ask(backend), requested], ['unavailable 5', 1])
  nowMs += 5_000
  answer = OK
  assert.equal(await ask(backend), 'ok')
})

test('of two upstreams the second is used while the first is paused, and calls are rejected only if both are', async () => {
  let tried = 0
  const down = createSearxng({
    url: 'http://127.0.0.1:1',
    fetch(url, request) {
      tried += 1
      return fetch(url, request)
    },
  })
  const both = firstThatAnswers([down, openUpstream()], { failures: 1, nowMs: () => 0 })
  assert.deepEqual([await ask(both), await ask(both), tried, requested], ['ok', 'ok', 1, 2])
  assert.equal(both.pauseSeconds?.(), 0)
  answer = BROKEN
  assert.equal(await ask(both), 'unavailable 15')
  assert.equal(both.pauseSeconds?.(), 15)
})
