import assert from 'node:assert/strict'
import { Feed } from '@tollbook/testing/payments/feed'
import {
  codeOf,
  createWorld,
  inWorld,
  type Process,
  receiptOf,
  type World,
} from '@tollbook/testing/payments/gate-world'
import { onEveryState } from '@tollbook/testing/state/every-state'

const PATH = '/api/metered?word=hi'

function feedTo(process: Process): Feed {
  const feed = new Feed()
  process.desk.work = ({ signal }) => feed.answer(signal)
  return feed
}

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  assert.ok(response.body)
  return response.body.getReader()
}

/** The process that answers after the first one has ended all of its calls. */
async function succeed(world: World, first: Process): Promise<Process> {
  await first.gate.close()
  return world.startProcess()
}

onEveryState(
  'a client that leaves an exact stream after its last word gets the same text again',
  async (state) => {
    const world = createWorld(state)
    const first = await world.startProcess()
    const feed = feedTo(first)
    const payment = await first.pay(PATH, world.newPayer())
    const served = first.fetch(PATH, payment)
    feed.give('one ')
    const reader = readerOf(await served)
    feed.give('two')
    await reader.read()
    await reader.read()
    await reader.cancel()
    feed.give(' done', { isContent: false, isEnd: true })
    feed.end()
    const next = await succeed(world, first)
    for (let times = 0; times < 3; times += 1) {
      const again = await next.fetch(PATH, payment)
      assert.equal(again.status, 200)
      assert.equal(again.headers.get('content-type'), 'text/event-stream; charset=utf-8')
      assert.equal(receiptOf(again)?.transaction, world.chain.transfers[0]?.transaction)
      assert.equal(await again.text(), 'one two done')
    }
    assert.deepEqual([first.desk.runs, next.desk.runs, world.chain.transfers.length], [1, 0, 1])
    world.close()
  },
)

inWorld('an exact stream is read to its end while nobody listens', async (world) => {
  const first = await world.startProcess()
  const feed = feedTo(first)
  const payment = await first.pay(PATH, world.newPayer())
  const served = first.fetch(PATH, payment)
  feed.give('one')
  await readerOf(await served).cancel()
  const early = await first.fetch(PATH, payment)
  assert.deepEqual([early.status, await codeOf(early)], [409, 'payment_in_flight'])
  assert.equal(feed.wasStopped, false)
  feed.give('two')
  feed.end()
  const next = await succeed(world, first)
  assert.equal(await (await next.fetch(PATH, payment)).text(), 'onetwo')
  assert.equal(next.desk.runs, 0)
})

inWorld(
  'a client that disconnects while its exact stream settles can fetch the text later',
  async (world) => {
    const first = await world.startProcess()
    const feed = feedTo(first)
    const leaving = new AbortController()
    first.link.pause = async (place) => {
      if (place === 'settle') leaving.abort()
    }
    const payment = await first.pay(PATH, world.newPayer())
    const served = first.fetch(PATH, { ...payment, signal: leaving.signal })
    feed.give('one')
    feed.give('two')
    feed.end()
    await (await served).body?.cancel()
    const next = await succeed(world, first)
    assert.equal(await (await next.fetch(PATH, payment)).text(), 'onetwo')
    assert.deepEqual([next.desk.runs, world.chain.transfers.length], [0, 1])
  },
)

inWorld('a settled run may take as long as its endpoint allows', async (world) => {
  const process = await world.startProcess()
  const feed = feedTo(process)
  // 6 seconds are left: 2 until it settles, in addition to the 4 reserved for the settlement.
  const validBefore = Math.floor(world.now() / 1000) + 7
  const payment = await process.pay(PATH, world.newPayer(), { validBefore })
  const served = process.fetch(PATH, payment)
  feed.give('one')
  const response = await served
  await new Promise((resolve) => setTimeout(resolve, 3_100))
  feed.give('two')
  feed.end()
  assert.equal(await response.text(), 'onetwo')
})

inWorld('a source that fails after its client disconnected is run once more', async (world) => {
  const first = await world.startProcess()
  const feed = feedTo(first)
  const payment = await first.pay(PATH, world.newPayer())
  const served = first.fetch(PATH, payment)
  feed.give('one')
  await readerOf(await served).cancel()
  feed.fail(new Error('the source broke'))
  const next = await succeed(world, first)
  const whole = feedTo(next)
  const again = next.fetch(PATH, payment)
  whole.give('one')
  whole.give('two')
  whole.end()
  assert.equal(await (await again).text(), 'onetwo')
  assert.equal(await (await next.fetch(PATH, payment)).text(), 'onetwo')
  assert.deepEqual([next.desk.runs, world.chain.transfers.length], [1, 1])
})

inWorld('a text beyond 4 MB is not stored, and not read ahead of its client', async (world) => {
  const process = await world.startProcess()
  const feed = feedTo(process)
  const payment = await process.pay(PATH, world.newPayer())
  const served = process.fetch(PATH, payment)
  const megabyte = 'x'.repeat(1024 * 1024)
  for (let at = 0; at < 6; at += 1) feed.give(megabyte)
  feed.end()
  const text = await (await served).text()
  assert.equal(text.length, 6 * megabyte.length)
  const again = await process.fetch(PATH, payment)
  assert.deepEqual([again.status, await codeOf(again)], [409, 'payment_spent'])

  const left = feedTo(process)
  const second = await process.pay(PATH, world.newPayer())
  const running = process.fetch(PATH, second)
  for (let at = 0; at < 6; at += 1) left.give(megabyte)
  const reader = readerOf(await running)
  for (let at = 0; at < 5; at += 1) await reader.read()
  await reader.cancel()
  const next = await succeed(world, process)
  const whole = feedTo(next)
  const repeated = next.fetch(PATH, second)
  whole.give('one')
  whole.end()
  assert.equal(await (await repeated).text(), 'one')
})
