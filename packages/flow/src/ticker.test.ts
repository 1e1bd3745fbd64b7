import assert from 'node:assert/strict'
import { EventEmitter, on } from 'node:events'
import { test } from 'node:test'
import { startTicker } from './ticker.ts'

/** Longer than any test. */
const NEVER_MS = 2 ** 31 - 1

/** A ticker whose runs begin and end under the control of the test. */
function stage(everyMs: number) {
  const events = new EventEmitter()
  const begun = on(events, 'begun')
  const errors: unknown[] = []
  let running = 0
  let maxRunning = 0
  let outcome = Promise.withResolvers<void>()
  const ticker = startTicker({
    everyMs,
    async work(signal) {
      running += 1
      maxRunning = Math.max(maxRunning, running)
      outcome = Promise.withResolvers()
      events.emit('begun', signal)
      await outcome.promise.finally(() => {
        running -= 1
      })
    },
    onError: (error) => errors.push(error),
  })
  return {
    ticker,
    errors,
    maxRunning: () => maxRunning,
    /** Waits for the next run. */
    async next(): Promise<AbortSignal> {
      const { value } = await begun.next()
      return value?.[0]
    },
    end: () => outcome.resolve(),
    fail: () => outcome.reject(new Error('down')),
  }
}

test('runs follow each other at an interval and never overlap, also after a failure', async () => {
  const { ticker, errors, next, end, fail, maxRunning } = stage(1)
  // The timer keeps the process of the test alive: a ticker does not.
  const alive = setInterval(() => {}, 1_000)
  try {
    await next()
    ticker.runNow()
    fail()
    await next()
    end()
    await next()
    assert.match(String(errors), /^Error: down$/)
    assert.equal(maxRunning(), 1)
  } finally {
    end()
    await ticker.stop()
    clearInterval(alive)
  }
})

test('it runs at once on demand, and once more after a run during which it was demanded', async () => {
  const { ticker, next, end } = stage(NEVER_MS)
  ticker.runNow()
  await next()
  ticker.runNow()
  ticker.runNow()
  end()
  await next()
  end()
  await ticker.stop()
})

test('stopping aborts the current run and waits for its end; nothing runs afterwards', async () => {
  const { ticker, next, end, errors } = stage(NEVER_MS)
  ticker.runNow()
  const signal = await next()
  let isStopped = false
  const stopped = ticker.stop().then(() => {
    isStopped = true
  })
  assert.equal(signal.aborted, true)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isStopped, false)
  end()
  await stopped
  ticker.runNow()
  await ticker.stop()
  assert.deepEqual(errors, [])
})
