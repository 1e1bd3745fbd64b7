import assert from 'node:assert/strict'
import { once } from 'node:events'
import { json } from '@tollbook/endpoints/answer'
import { Feed } from '@tollbook/testing/payments/feed'
import { inWorld, type Process, receiptOf } from '@tollbook/testing/payments/gate-world'
import { watchTimers } from '@tollbook/testing/watch-timers'

const SAY = '/api/say?word=hi'
/** Time limits of the endpoints, ms. */
const SAY_MS = 20_000
const BRIEF_MS = 500

async function problemOf(response: Response) {
  const { code, detail } = (await response.json()) as { code: string; detail: string }
  return { status: response.status, code, detail }
}

/** A handler that ends only when it is aborted, and what it was aborted with. */
function hang(process: Process): { reason: unknown } {
  const seen = { reason: undefined as unknown }
  process.desk.work = async ({ signal }) => {
    await once(signal, 'abort')
    seen.reason = signal.reason
    return json({ word: 'late' })
  }
  return seen
}

inWorld('a paid call that exceeds its time limit is aborted and answered 504, uncharged', async (world) => {
  const process = await world.startProcess()
  const seen = hang(process)
  const path = '/api/quick?word=hi'
  const response = await process.fetch(path, await process.pay(path, world.newPayer()))
  assert.deepEqual(await problemOf(response), {
    status: 504,
    code: 'upstream_timeout',
    detail: 'The call exceeded its time limit of 0.05 s and was aborted.',
  })
  assert.match(String(seen.reason), /time limit of 0\.05 s/)
  assert.equal(world.chain.transfers.length, 0)
})

inWorld(
  'a paid call has one timer, which starts with its handler and ends with its answer',
  async (world) => {
    const process = await world.startProcess()
    const payment = await process.pay(SAY, world.newPayer())
    const timers = watchTimers()
    const seen: number[] = []
    process.link.pause = async (place) => {
      if (place === 'verify' || place === 'handler' || place === 'settle')
        seen.push(timers.countPending(SAY_MS))
    }
    assert.equal((await process.fetch(SAY, payment)).status, 200)
    timers.stop()
    assert.deepEqual(seen, [0, 1, 0])
    assert.equal(timers.countSet(SAY_MS), 1)
    assert.equal(timers.countPending(SAY_MS), 0)
  },
)

inWorld('a handler is aborted while its authorization can still be settled', async (world) => {
  const process = await world.startProcess()
  hang(process)
  // 66 seconds of lifetime, of which the verification takes 61; 4 are reserved for the settlement.
  const payment = await process.pay(SAY, world.newPayer(), {
    validBefore: Math.floor(world.now() / 1000) + 66,
  })
  process.link.pause = async (place) => {
    if (place === 'verify') world.pass(61_000)
  }
  const { status, detail } = await problemOf(await process.fetch(SAY, payment))
  assert.equal(status, 504)
  assert.equal(detail, 'The call exceeded its time limit of 1 s and was aborted.')
})

inWorld('an exact stream that exceeds the time limit after its settlement is cut', async (world) => {
  const process = await world.startProcess()
  const feed = new Feed()
  process.desk.work = ({ signal }) => feed.answer(signal)
  const path = '/api/brief?word=hi'
  const payment = await process.pay(path, world.newPayer())
  const timers = watchTimers()
  const served = process.fetch(path, payment)
  feed.give('one')
  const response = await served
  assert.equal(receiptOf(response)?.success, true)
  await assert.rejects(response.text(), /time limit of 0\.5 s/)
  timers.stop()
  assert.ok(feed.wasStopped)
  assert.equal(timers.countSet(BRIEF_MS), 1)
  assert.equal(timers.countPending(BRIEF_MS), 0)
})

inWorld('a stream that ends in time leaves no timer', async (world) => {
  const process = await world.startProcess()
  for (const scheme of ['exact', 'upto'] as const) {
    const feed = new Feed()
    process.desk.work = ({ signal }) => feed.answer(signal)
    const path = '/api/metered?word=hi'
    const payment = await process.pay(path, await world.newRegular(), { scheme })
    const timers = watchTimers()
    const served = process.fetch(path, payment)
    feed.give('one', { chargeSoFar: 2_000n })
    feed.end()
    await (await served).text()
    timers.stop()
    assert.equal(timers.countSet(SAY_MS), 1, scheme)
    assert.equal(timers.countPending(SAY_MS), 0, scheme)
  }
})
