import assert from 'node:assert/strict'
import { onEveryState } from '../../../test/every-state.ts'
import { codeOf, createWorld } from '../../../test/payments/gate-world.ts'

const PATH = '/api/say?word=hi'
onEveryState('a payment in flight is 409 with Retry-After, at any process', async (state) => {
  const world = createWorld(state)
  const [first, second] = [await world.startProcess(), await world.startProcess()]
  const payment = await first.pay(PATH, world.newPayer())
  let release = () => {}
  const isRunning = new Promise<void>((running) => {
    first.link.pause = (place) => {
      if (place !== 'handler') return Promise.resolve()
      running()
      return new Promise((resolve) => {
        release = resolve
      })
    }
  })
  const served = first.fetch(PATH, payment)
  await isRunning
  for (const process of [first, second]) {
    const response = await process.fetch(PATH, payment)
    assert.equal(response.status, 409)
    assert.equal(response.headers.get('retry-after'), '1')
    assert.equal(await codeOf(response), 'payment_in_flight')
  }
  release()
  assert.equal((await served).status, 200)
  assert.equal(first.desk.runs + second.desk.runs, 1)
  world.close()
})
