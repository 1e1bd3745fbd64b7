import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFor } from './owner.ts'
import { Busy, createSemaphore, type Semaphore } from './semaphore.ts'

const NEVER = new AbortController().signal

/** Starts work that records when it begins, and runs until it is ended. */
function stage(semaphore: Semaphore) {
  const begun: string[] = []
  const refused: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, owner?: string, signal = NEVER) => {
    const acquire = () => semaphore.acquire(signal)
    return (owner === undefined ? acquire() : runFor(owner, acquire)).then(
      (release) => {
        begun.push(name)
        ends.set(name, release)
      },
      (error: unknown) => {
        refused.push(name)
        return error
      },
    )
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await settle()
  }
  return { begun, refused, ask, end }
}

/** Lets all promises that can settle do so. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('work without an owner is admitted in order of arrival', async () => {
  const semaphore = createSemaphore({ max: 2, maxWaiting: 9 })
  const { begun, ask, end } = stage(semaphore)
  for (const name of ['a', 'b', 'c', 'd']) void ask(name)
  await settle()
  assert.deepEqual(begun, ['a', 'b'])
  assert.equal(semaphore.waiting(), 2)
  await end('b')
  await end('a')
  assert.deepEqual(begun, ['a', 'b', 'c', 'd'])
})

test('one owner never holds the last permit, so that the call of another starts at once', async () => {
  const { begun, ask } = stage(createSemaphore({ max: 3, maxWaiting: 9 }))
  for (const name of ['a1', 'a2', 'a3']) void ask(name, 'a')
  await settle()
  assert.deepEqual(begun, ['a1', 'a2'])
  void ask('b1', 'b')
  await settle()
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
})

test('owners take turns, and one that runs nothing goes first', async () => {
  const { begun, ask, end } = stage(createSemaphore({ max: 1, maxWaiting: 9 }))
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(name, 'a')
  for (const name of ['b1', 'b2']) void ask(name, 'b')
  void ask('c1', 'c')
  await settle()
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await end(name)
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])

  const two = stage(createSemaphore({ max: 2, maxWaiting: 9, maxPerOwner: 2 }))
  for (const name of ['a1', 'a2', 'a3']) void two.ask(name, 'a')
  void two.ask('b1', 'b')
  await settle()
  await two.end('a1')
  assert.deepEqual(two.begun, ['a1', 'a2', 'b1'])
})

test('an owner that fills the queue loses its last place to another owner', async () => {
  const { begun, refused, ask, end } = stage(createSemaphore({ max: 1, maxWaiting: 3 }))
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(name, 'a')
  await settle()
  assert.ok((await ask('a5', 'a')) instanceof Busy)
  void ask('b1', 'b')
  await settle()
  assert.deepEqual(refused, ['a5', 'a4'])
  await end('a1')
  await end('a2')
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
})

test('a waiting call that is aborted gives up its place and leaves nothing behind', async () => {
  const { begun, ask, end } = stage(createSemaphore({ max: 1, maxWaiting: 1 }))
  const leaving = new AbortController()
  void ask('a1', 'a')
  const left = ask('b1', 'b', leaving.signal)
  await settle()
  leaving.abort(new Error('gone'))
  assert.match(String(await left), /gone/)
  void ask('c1', 'c')
  await settle()
  await end('a1')
  // A second release of the same permit admits nobody.
  await end('a1')
  void ask('d1', 'd')
  await settle()
  assert.deepEqual(begun, ['a1', 'c1'])
  await assert.rejects(createSemaphore({ max: 1, maxWaiting: 1 }).acquire(leaving.signal), /gone/)
})

test('each key has permits of its own', async () => {
  const semaphore = createSemaphore({ max: 1, maxWaiting: 0 })
  const release = await semaphore.acquire(NEVER, 'one')
  await semaphore.acquire(NEVER, 'other')
  await assert.rejects(semaphore.acquire(NEVER, 'one'), Busy)
  release()
  await semaphore.acquire(NEVER, 'one')
})

test('a limit that grows lets in as many as it then allows', async () => {
  let max = 1
  const { begun, ask, end } = stage(createSemaphore({ max: () => max, maxWaiting: 9 }))
  for (const name of ['a', 'b', 'c', 'd', 'e']) void ask(name)
  await settle()
  assert.deepEqual(begun, ['a'])
  max = 3
  await end('a')
  assert.deepEqual(begun, ['a', 'b', 'c', 'd'])
})
