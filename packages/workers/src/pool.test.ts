import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { ProblemError } from '@tollbook/http/problem'
import { defineJob } from './job.ts'
import { createWorkerPool } from './pool.ts'

const module = new URL('../../testing/src/workers/worker-jobs.ts', import.meta.url)
type Jobs = typeof import('@tollbook/testing/workers/worker-jobs')
const double = defineJob<Jobs['double']>({ module, name: 'double', deadlineMs: 20_000 })
const spin = defineJob<Jobs['spin']>({ module, name: 'spin', deadlineMs: 400 })
const hoard = defineJob<Jobs['hoard']>({ module, name: 'hoard', deadlineMs: 20_000 })
const hoardAtOnce = defineJob<Jobs['hoardAtOnce']>({ module, name: 'hoardAtOnce', deadlineMs: 60_000 })
const exit = defineJob<Jobs['exit']>({ module, name: 'exit', deadlineMs: 20_000 })
const crash = defineJob<Jobs['crash']>({ module, name: 'crash', deadlineMs: 20_000 })
const throwLater = defineJob<Jobs['throwLater']>({ module, name: 'throwLater', deadlineMs: 20_000 })
const returnFunction = defineJob<Jobs['returnFunction']>({
  module,
  name: 'returnFunction',
  deadlineMs: 20_000,
})
const rest = defineJob<Jobs['rest']>({ module, name: 'rest', deadlineMs: 60_000 })
const fail = defineJob<Jobs['fail']>({ module, name: 'fail', deadlineMs: 20_000 })
const NEVER = new AbortController().signal

const pool = createWorkerPool({ threads: 1, maxWaiting: 2, heapMb: 64 })
after(() => pool.close())

const codeOf = (error: unknown): string =>
  error instanceof ProblemError ? error.problem.code : String(error)

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

test('a caller that disconnects ends its job', async () => {
  const caller = new AbortController()
  const running = pool.run(spin, {}, caller.signal)
  await wait(50)
  caller.abort(new Error('gone'))
  await assert.rejects(running, { message: 'gone' })
  assert.equal(await pool.run(double, { number: 4 }, NEVER), 8)
})

test('callers that disconnect from a job that fills its memory, at any time, leave the pool working', async () => {
  for (const afterMs of [0, 20, 100, 300, 600, 900]) {
    const caller = new AbortController()
    const running = pool.run(hoard, {}, caller.signal).catch(codeOf)
    await wait(afterMs)
    caller.abort(new Error('gone'))
    assert.match(String(await running), /gone|cannot_be_served/)
    assert.equal(await pool.run(double, { number: afterMs }, NEVER), 2 * afterMs)
  }
})

test('a job that ends its process costs neither another job nor the next one', async (t) => {
  const two = createWorkerPool({ threads: 2, heapMb: 64 })
  t.after(() => two.close())
  const ends: [string, () => Promise<unknown>, RegExp][] = [
    ['allocation beyond the heap', () => two.run(hoardAtOnce, {}, NEVER), /^cannot_be_served$/],
    ['exit', () => two.run(exit, { code: 0 }, NEVER), /its process ended with 0/],
    ['exit with 7', () => two.run(exit, { code: 7 }, NEVER), /its process ended with 7/],
    ['segmentation fault', () => two.run(crash, { signal: 'SIGSEGV' }, NEVER), /ended with SIGSEGV/],
    ['killed by the kernel', () => two.run(crash, { signal: 'SIGKILL' }, NEVER), /^cannot_be_served$/],
    ['uncaught error', () => two.run(throwLater, {}, NEVER), /nobody catches this/],
  ]
  for (const [name, end, expected] of ends) {
    const other = two.run(rest, { ms: 300 }, NEVER)
    assert.match(String(await end().catch(codeOf)), expected, name)
    await other
    assert.equal(await two.run(double, { number: 3 }, NEVER), 6, name)
  }
})

test('an input or a result that cannot be copied fails its job alone', async () => {
  await assert.rejects(pool.run(returnFunction, {}, NEVER), /could not be cloned/)
  const input = { number: (() => 1) as unknown as number }
  await assert.rejects(pool.run(double, input, NEVER), /could not be cloned/)
  assert.equal(await pool.run(double, { number: 5 }, NEVER), 10)
})

test('a closed pool rejects running and new jobs', async () => {
  const closed = createWorkerPool({ threads: 1 })
  const running = closed.run(spin, {}, NEVER).catch(codeOf)
  await closed.close()
  await assert.rejects(closed.run(double, { number: 1 }, NEVER), /the worker pool is closed/)
  assert.doesNotMatch(String(await running), /cannot_be_served/)
})

test('a job without an end does not outlive the killed process of its pool', {
  timeout: 60_000,
}, async () => {
  const fixture = new URL('../../testing/src/workers/spinning-pool.ts', import.meta.url).pathname
  const parent = spawn(process.execPath, [fixture], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(parent.stdout.setEncoding('utf8'), 'data')
  const pid = Number(line)
  parent.kill('SIGKILL')
  while (isRunning(pid)) await wait(50)
})

/** A process that has ended may stay as a zombie, if nothing in its container reaps it. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
