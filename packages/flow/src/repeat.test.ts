import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from './repeat.ts'

/** Repeats work that returns or throws one outcome after another, and aborts with the last. */
async function play(outcomes: readonly (number | Error)[]) {
  const end = new AbortController()
  const rests: number[] = []
  const failures: number[] = []
  let runs = 0
  await repeat(
    {
      async work() {
        const outcome = outcomes[runs++]
        if (runs === outcomes.length) end.abort()
        if (typeof outcome === 'number') return outcome
        throw outcome
      },
      onError(error, count) {
        assert.match(String(error), /down/)
        failures.push(count)
        return 1_000 * count
      },
      rest: async (ms) => rests.push(ms),
    },
    end.signal,
  )
  return { runs, rests, failures }
}

const DOWN = new Error('down')

test('it rests after each run for as long as the run returns, and not at all for 0 ms', async () => {
  assert.deepEqual(await play([5, 0, 7, 0]), { runs: 4, rests: [5, 7], failures: [] })
})

test('consecutive failures are counted, and a success resets the count', async () => {
  assert.deepEqual(await play([DOWN, DOWN, 5, DOWN, 0]), {
    runs: 5,
    rests: [1_000, 2_000, 5, 1_000],
    failures: [1, 2, 1],
  })
})

test('an error after the signal is ignored', async () => {
  assert.deepEqual(await play([5, DOWN]), { runs: 2, rests: [5], failures: [] })
})

test('an error that the handler throws ends the repetition', async () => {
  const broken = async () => {
    throw DOWN
  }
  const rethrow = (error: unknown) => {
    throw error
  }
  await assert.rejects(repeat({ work: broken, onError: rethrow }, new AbortController().signal), /down/)
})

test('the signal ends a rest', async () => {
  const end = new AbortController()
  const work = async () => {
    setImmediate(() => end.abort())
    return 2 ** 31 - 1
  }
  await repeat({ work, onError: () => 0 }, end.signal)
})
