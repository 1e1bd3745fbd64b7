import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAdaptiveLimit } from './adaptive-limit.ts'

/** How many of many pieces of work a limit runs at a time. */
async function countConcurrent(limit: ReturnType<typeof createAdaptiveLimit>): Promise<number> {
  const end = Promise.withResolvers<void>()
  let begun = 0
  const all = Array.from({ length: 50 }, () =>
    limit.run(() => {
      begun += 1
      return end.promise
    }),
  )
  await null
  const concurrent = begun
  end.resolve()
  await Promise.all(all)
  assert.equal(begun, 50)
  return concurrent
}

test('it starts at two, rises by one per round of successes up to the maximum, and halves on overload', async () => {
  const limit = createAdaptiveLimit(4)
  assert.equal(await countConcurrent(limit), 2)
  // 2 + 1/2 + 1/2.5 = 2.9; + 1/2.9 = 3.24.
  for (let at = 0; at < 2; at += 1) limit.increase()
  assert.equal(await countConcurrent(limit), 2)
  limit.increase()
  assert.equal(await countConcurrent(limit), 3)
  for (let at = 0; at < 50; at += 1) limit.increase()
  assert.equal(await countConcurrent(limit), 4)
  limit.decrease()
  assert.equal(await countConcurrent(limit), 2)
  for (let at = 0; at < 5; at += 1) limit.decrease()
  assert.equal(await countConcurrent(limit), 1)
  assert.equal(await countConcurrent(createAdaptiveLimit(1)), 1)
})

test('failed work releases its permit', async () => {
  const limit = createAdaptiveLimit(1)
  const broken = async () => {
    throw new Error('down')
  }
  await assert.rejects(limit.run(broken), /down/)
  assert.equal(await limit.run(async () => 'done'), 'done')
})
