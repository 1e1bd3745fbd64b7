import assert from 'node:assert/strict'
import { Feed } from '@tollbook/testing/payments/feed'
import { createWorld, type Process, type World } from '@tollbook/testing/payments/gate-world'
import { onEveryState } from '@tollbook/testing/state/every-state'

const PATH = '/api/metered?word=hi'
const LEASE = { leaseMs: 10_000 }

/** Starts a process that sends the first piece of an exact stream, and stalls at that point of its run. */
async function dieWhileStreaming(process: Process, init: RequestInit): Promise<void> {
  const feed = new Feed()
  process.desk.work = ({ signal }) => feed.answer(signal)
  const served = process.fetch(PATH, init)
  feed.give('one')
  const reader = (await served).body?.getReader()
  assert.equal(new TextDecoder().decode((await reader?.read())?.value), 'one')
}

async function succeed(world: World): Promise<Process> {
  const next = await world.startProcess(LEASE)
  world.pass(LEASE.leaseMs + 1)
  await next.gate.recover()
  return next
}

onEveryState(
  'a stream that was charged is delivered whole, however often its processes die',
  async (state) => {
    const world = createWorld(state)
    const first = await world.startProcess(LEASE)
    const payment = await first.pay(PATH, world.newPayer())
    await dieWhileStreaming(first, payment)
    await dieWhileStreaming(await succeed(world), payment)
    await dieWhileStreaming(await succeed(world), payment)

    const last = await succeed(world)
    const feed = new Feed()
    last.desk.work = ({ signal }) => feed.answer(signal)
    const served = last.fetch(PATH, payment)
    feed.give('one')
    feed.give('two')
    feed.end()
    assert.equal(await (await served).text(), 'onetwo')
    assert.equal(world.chain.transfers.length, 1)
    const row = await state.db.selectFrom('paid_call').selectAll().executeTakeFirstOrThrow()
    assert.equal(row.state, 'settled')
    assert.equal(await (await last.fetch(PATH, payment)).text(), 'onetwo', 'it is repeated')
    assert.equal(last.desk.runs, 1)
    world.close()
  },
)
