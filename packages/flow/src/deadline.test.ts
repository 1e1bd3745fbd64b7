import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { watchTimers } from '@tollbook/testing/watch-timers'
import { startDeadline, withDeadline } from './deadline.ts'

/** Longer than any test. */
const NEVER_MS = 2 ** 31 - 1
const TIMEOUT = { name: 'TimeoutError' }

test('the signal aborts with a TimeoutError after the timeout', async () => {
  // The timer keeps the process of the test alive: a deadline does not.
  const alive = setInterval(() => {}, 1_000)
  const { signal, isLate } = startDeadline(1)
  assert.equal(isLate(), false)
  await once(signal, 'abort')
  clearInterval(alive)
  assert.equal(isLate(), true)
  assert.throws(() => signal.throwIfAborted(), TIMEOUT)
})

test("the signal aborts with the caller's reason, also one that came before", () => {
  const leaving = new AbortController()
  const { signal, isLate } = startDeadline(NEVER_MS, leaving.signal)
  leaving.abort(new Error('gone'))
  assert.throws(() => signal.throwIfAborted(), /gone/)
  assert.throws(() => startDeadline(NEVER_MS, leaving.signal).signal.throwIfAborted(), /gone/)
  assert.equal(isLate(), false)
})

test('a deadline that was cleared never aborts', async () => {
  const leaving = new AbortController()
  const { signal, clear } = startDeadline(0, leaving.signal)
  clear()
  leaving.abort()
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(signal.aborted, false)
})

test('a deadline that outlives its caller ends at the later timeout, and names it', async () => {
  const alive = setInterval(() => {}, 1_000)
  const leaving = new AbortController()
  const { signal, outliveCaller } = startDeadline(1, leaving.signal, (ms) => new Error(`after ${ms} ms`))
  outliveCaller(3)
  leaving.abort()
  assert.equal(signal.aborted, false)
  await once(signal, 'abort')
  clearInterval(alive)
  assert.throws(() => signal.throwIfAborted(), /after 3 ms/)
})

test('a deadline that was aborted leaves no timer, even if it outlives its caller', () => {
  const timers = watchTimers()
  const { signal, abort, outliveCaller } = startDeadline(NEVER_MS)
  abort(new Error('enough'))
  outliveCaller(NEVER_MS - 1)
  timers.stop()
  assert.throws(() => signal.throwIfAborted(), /enough/)
  assert.equal(timers.countPending(NEVER_MS), 0)
  assert.equal(timers.countSet(NEVER_MS - 1), 0)
})

test('work ends with its own result or error, or at its deadline', async () => {
  const alive = setInterval(() => {}, 1_000)
  assert.equal(await withDeadline(NEVER_MS, async () => 'done'), 'done')
  await assert.rejects(
    withDeadline(1, async (signal) => {
      await once(signal, 'abort')
      signal.throwIfAborted()
    }),
    TIMEOUT,
  )
  clearInterval(alive)
})
