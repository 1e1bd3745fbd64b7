import assert from 'node:assert/strict'
import { json } from '@tollbook/endpoints/answer'
import { createSemaphore } from '@tollbook/flow/semaphore'
import { acquire } from '@tollbook/http/request/acquire'
import { codeOf, inWorld } from '@tollbook/testing/payments/gate-world'

const PATH = '/api/say?word=hi'
const SLOW = '/api/say?word=slow'

inWorld('the slow calls of one payer do not block the short call of another', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const engine = createSemaphore({ max: 2, maxWaiting: 2 })
  const held = Promise.withResolvers<void>()
  desk.work = async ({ input, signal }) => {
    const release = await acquire(engine, signal)
    if (input.word === 'slow') await held.promise
    release()
    return json({ word: input.word })
  }
  const [greedy, other] = [world.newPayer(), world.newPayer()]
  const slow: Promise<Response>[] = []
  for (let sent = 0; sent < 4; sent += 1) slow.push(fetch(SLOW, await pay(SLOW, greedy)))
  // One runs, two wait and the last is refused; the engine's other slot stays free for other payers.
  const refused = await Promise.race(slow)
  assert.equal(await codeOf(refused), 'unavailable')
  assert.equal((await fetch(PATH, await pay(PATH, other))).status, 200)
  held.resolve()
  const statuses = (await Promise.all(slow)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 200, 200, 503])
})
