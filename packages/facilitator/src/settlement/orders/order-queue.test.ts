import assert from 'node:assert/strict'
import { mock, type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createOrderQueue } from './order-queue.ts'

function openQueue(t: TestContext, limits: { groupSize?: number; maxInFlight?: number } = {}) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const sizes: number[] = []
  const returns: (() => void)[] = []
  const queue = createOrderQueue<object>({ groupSize: 100, maxInFlight: 8, ...limits }, (group) => {
    sizes.push(group.length)
    return new Promise((resolve) => returns.push(resolve))
  })
  return {
    queue,
    sizes,
    /** Adds orders in one turn of the event loop. */
    async add(count: number) {
      for (let at = 0; at < count; at += 1) queue.add({})
      await turn()
    },
    /** Ends the oldest group. */
    async end() {
      returns.shift()?.()
      await turn()
    },
  }
}

test('one order after the other waits for nobody', async (t) => {
  const { sizes, add, end } = openQueue(t)
  for (let round = 0; round < 3; round += 1) {
    await add(1)
    assert.equal(sizes.length, round + 1)
    await end()
  }
})

test('orders that come back together leave when half of them are there', async (t) => {
  const { sizes, add, end } = openQueue(t)
  await add(8)
  await end()
  await add(3)
  assert.deepEqual(sizes, [8])
  await add(1)
  await add(4)
  assert.deepEqual(sizes, [8, 4, 4])
})

test('a group that does not fill leaves after its time, and fewer are awaited from then on', async (t) => {
  const { sizes, add, end } = openQueue(t)
  await add(8)
  await end()
  await add(2)
  mock.timers.tick(20)
  assert.deepEqual(sizes, [8, 2])
  await end()
  await add(1)
  assert.deepEqual(sizes, [8, 2, 1])
})

test('while a group is in progress, others gather for longer, unless it ends', async (t) => {
  const { sizes, add, end } = openQueue(t)
  await add(8)
  await add(2)
  mock.timers.tick(249)
  assert.deepEqual(sizes, [8])
  await end()
  mock.timers.tick(20)
  assert.deepEqual(sizes, [8, 2])
})

test('groups have a maximum size and number; what waits leaves as they end, what was removed does not', async (t) => {
  const { queue, sizes, add, end } = openQueue(t, { groupSize: 3, maxInFlight: 1 })
  const order = {}
  queue.add(order)
  await add(6)
  assert.deepEqual(sizes, [3])
  assert.equal(queue.remove(order), false)
  const late = {}
  queue.add(late)
  assert.equal(queue.remove(late), true)
  await end()
  await end()
  mock.timers.tick(20)
  assert.deepEqual(sizes, [3, 3, 1])
})
