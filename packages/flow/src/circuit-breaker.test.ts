import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCircuitBreaker, Paused } from './circuit-breaker.ts'
import { runFor } from './owner.ts'

/** A breaker over an upstream that always fails, and its clock. */
function openFailing() {
  const time = { nowMs: 0 }
  const breaker = createCircuitBreaker({ failures: 3, pauseMs: 1_000, nowMs: () => time.nowMs })
  const callAs = (owner: string) =>
    runFor(owner, () =>
      breaker.run(
        async () => {
          await null
          throw new Error('down')
        },
        () => 'failure',
      ),
    )
  return { time, breaker, callAs }
}

test('however often one caller fails, the breaker stays closed; after three callers it opens', async () => {
  const { breaker, callAs } = openFailing()
  for (let at = 0; at < 10; at++) await assert.rejects(callAs('a payer'), /down/)
  await assert.rejects(callAs('another'), /down/)
  assert.equal(breaker.leftMs(), 0)
  await assert.rejects(callAs('a third'), /down/)
  assert.equal(breaker.leftMs(), 1_000)
  await assert.rejects(callAs('a fourth'), Paused)
})

test('a failed trial doubles the pause, regardless of its caller', async () => {
  const { time, breaker, callAs } = openFailing()
  for (const owner of ['a', 'b', 'c']) await assert.rejects(callAs(owner), /down/)
  time.nowMs = 1_000
  await assert.rejects(callAs('a'), /down/)
  assert.equal(breaker.leftMs(), 2_000)
})

test('a success in between resets the count of failing callers', async () => {
  const { breaker, callAs } = openFailing()
  for (const owner of ['a', 'b']) await assert.rejects(callAs(owner), /down/)
  await runFor('c', () =>
    breaker.run(
      async () => 'fine',
      () => 'failure',
    ),
  )
  await assert.rejects(callAs('c'), /down/)
  assert.equal(breaker.leftMs(), 0)
})
