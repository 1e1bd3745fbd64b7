import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { ProblemError } from '../http/problem.ts'
import { defineJob } from './job.ts'
import { createWorkerPool } from './pool.ts'

const module = new URL('../../test/workers/worker-jobs.ts', import.meta.url)
type Jobs = typeof import('../../test/workers/worker-jobs.ts')
const double = defineJob<Jobs['double']>({ module, name: 'double', deadlineMs: 20_000 })
const spin = defineJob<Jobs['spin']>({ module, name: 'spin', deadlineMs: 400 })
const hoard = defineJob<Jobs['hoard']>({ module, name: 'hoard', deadlineMs: 20_000 })
const callLater = defineJob<Jobs['callLater']>({ module, name: 'callLater', deadlineMs: 20_000 })
const wasCalled = defineJob<Jobs['wasCalled']>({ module, name: 'wasCalled', deadlineMs: 20_000 })
const fail = defineJob<Jobs['fail']>({ module, name: 'fail', deadlineMs: 20_000 })
const NEVER = new AbortController().signal

const pool = createWorkerPool({ threads: 1, maxWaiting: 2, heapMb: 64 })
after(() => pool.close())

const codeOf = (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error))

test('a job receives its input and returns its output', async () => {
  assert.equal(await pool.run(double, { number: 21 }, NEVER), 42)
})

test('an error thrown by a job keeps its message', async () => {
  await assert.rejects(pool.run(fail, { message: 'no such page' }, NEVER), { message: 'no such page' })
})

test('an endless job is killed at its deadline, and the event loop never waits for it', async () => {
  let turns = 0
  let turning = setImmediate(function turn() {
    turns += 1
    turning = setImmediate(turn)
  })
  const failure = await pool.run(spin, {}, NEVER).catch(codeOf)
  clearImmediate(turning)
  assert.equal(failure, 'upstream_timeout')
  // Many thousands on an idle machine; a blocked loop makes none.
  assert.ok(turns >= 3, `${turns} turns`)
  assert.equal(await pool.run(double, { number: 1 }, NEVER), 2)
})

test('a job that needs too much memory is rejected, and the next one runs', async () => {
  assert.equal(await pool.run(hoard, {}, NEVER).catch(codeOf), 'cannot_be_served')
  assert.equal(await pool.run(double, { number: 2 }, NEVER), 4)
})

test('a full queue is reported at once, with Retry-After', async () => {
  const running = [1, 2, 3].map(() => pool.run(spin, {}, NEVER).catch(codeOf))
  const error = await pool.run(double, { number: 3 }, NEVER).catch((reason: unknown) => reason)
  assert.ok(error instanceof ProblemError)
  assert.equal(error.problem.code, 'unavailable')
  assert.equal(error.problem.retryAfterSeconds, 2)
  assert.deepEqual(await Promise.all(running), ['upstream_timeout', 'upstream_timeout', 'upstream_timeout'])
})

test('an idle thread runs its event loop, where it notices that it has to end', async () => {
  await pool.run(callLater, {}, NEVER)
  let isCalled = false
  // These jobs do not turn the loop themselves: only that of an idle thread runs the timer.
  while (!isCalled) isCalled = await pool.run(wasCalled, {}, NEVER)
})

test('a caller that disconnects ends its job', async () => {
  const caller = new AbortController()
  const running = pool.run(spin, {}, caller.signal)
  await wait(50)
  caller.abort(new Error('gone'))
  await assert.rejects(running, { message: 'gone' })
  assert.equal(await pool.run(double, { number: 4 }, NEVER), 8)
})
