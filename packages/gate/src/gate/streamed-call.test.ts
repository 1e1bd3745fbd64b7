import assert from 'node:assert/strict'
import { ProblemError } from '@tollbook/http/problem'
import { Feed } from '@tollbook/testing/payments/feed'
import { codeOf, createWorld, inWorld, type Process, receiptOf } from '@tollbook/testing/payments/gate-world'
import { onEveryState } from '@tollbook/testing/state/every-state'

const PATH = '/api/metered?word=hi'
const LEASE = { leaseMs: 10_000, resendAfterMs: 10_000 }

function feedTo(process: Process): Feed {
  const feed = new Feed()
  process.desk.work = ({ signal }) => feed.answer(signal)
  return feed
}

/** Reads one chunk of a live body. */
async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | null> {
  const { value, done } = await reader.read()
  return done ? null : new TextDecoder().decode(value)
}

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  assert.ok(response.body)
  return response.body.getReader()
}

onEveryState('an exact stream is settled before its first byte, and then live', async (state) => {
  const world = createWorld(state)
  const process = await world.startProcess()
  const feed = feedTo(process)
  const served = process.fetch(PATH, await process.pay(PATH, world.newPayer()))
  feed.give('preamble', { isContent: false })
  feed.give('one')
  const response = await served
  assert.equal(receiptOf(response)?.amount, '50000')
  assert.equal(world.chain.transfers.length, 1)
  const reader = readerOf(response)
  assert.equal(await read(reader), 'preamble')
  assert.equal(await read(reader), 'one')
  feed.give('two')
  assert.equal(await read(reader), 'two')
  const row = () => state.db.selectFrom('paid_call').select('state').executeTakeFirstOrThrow()
  assert.equal((await row()).state, 'settled-unfinished')
  feed.end()
  assert.equal(await read(reader), null)
  assert.equal((await row()).state, 'settled')
  await process.gate.close()
  world.close()
})

inWorld('an exact stream that does not settle sends nothing', async (world) => {
  const process = await world.startProcess()
  const feed = feedTo(process)
  const payer = world.newPayer()
  process.link.pause = async (place) => {
    if (place === 'settle') world.chain.fund(payer.address, 0n)
  }
  const served = process.fetch(PATH, await process.pay(PATH, payer))
  feed.give('one')
  const response = await served
  assert.equal(response.status, 402)
  assert.equal(await codeOf(response), 'payment_settlement_failed')
  assert.ok(feed.wasStopped)
})

inWorld('a stream whose source fails before its first content is not charged', async (world) => {
  const process = await world.startProcess()
  for (const scheme of ['exact', 'upto'] as const) {
    const feed = feedTo(process)
    const served = process.fetch(PATH, await process.pay(PATH, await world.newRegular(), { scheme }))
    feed.give('preamble', { isContent: false })
    feed.fail(new ProblemError({ code: 'upstream_failed', detail: 'The model is gone.' }))
    assert.equal((await served).status, 502)
    const empty = feedTo(process)
    const nothing = process.fetch(PATH, await process.pay(PATH, await world.newRegular(), { scheme }))
    empty.end()
    assert.equal((await nothing).status, 502)
  }
  assert.equal(world.chain.transfers.length, 0)
})

inWorld(
  'an upto stream is live within its maximum and settles the metered charge at its end',
  async (world) => {
    const process = await world.startProcess()
    const feed = feedTo(process)
    const served = process.fetch(PATH, await process.pay(PATH, await world.newRegular(), { scheme: 'upto' }))
    feed.give('one', { chargeSoFar: 2_000n })
    const response = await served
    assert.equal(response.status, 200)
    assert.equal(receiptOf(response), null)
    const reader = readerOf(response)
    assert.equal(await read(reader), 'one')
    assert.equal(world.chain.transfers.length, 0)
    feed.give('two', { chargeSoFar: 3_500n })
    assert.equal(await read(reader), 'two')
    feed.end()
    const comment = await read(reader)
    const [, encoded = ''] = /^: payment-response (\S+)\n\n$/.exec(comment ?? '') ?? []
    const receipt = JSON.parse(Buffer.from(encoded, 'base64').toString())
    assert.equal(receipt.amount, '3500')
    assert.equal(receipt.transaction, world.chain.transfers[0]?.transaction)
    assert.equal(await read(reader), null)
    const stored = await process.gate.findReceipt(response.headers.get('tollbook-receipt') ?? '')
    assert.equal(stored?.state, 'settled')
    assert.equal(stored?.amount, '3500')
  },
)

inWorld('an upto stream stops before a piece that its maximum does not cover', async (world) => {
  const process = await world.startProcess()
  const feed = feedTo(process)
  const served = process.fetch(PATH, await process.pay(PATH, await world.newRegular(), { scheme: 'upto' }))
  feed.give('one', { chargeSoFar: 50_000n })
  feed.give('two', { chargeSoFar: 50_001n })
  const text = await (await served).text()
  assert.ok(text.startsWith('one: payment-response '))
  assert.equal(world.chain.transfers[0]?.amount, 50_000n)
  assert.ok(feed.wasStopped)
})

inWorld('a client that leaves an upto stream pays for what was delivered, once', async (world) => {
  const process = await world.startProcess()
  const feed = feedTo(process)
  const payment = await process.pay(PATH, await world.newRegular(), { scheme: 'upto' })
  const served = process.fetch(PATH, payment)
  feed.give('one', { chargeSoFar: 2_000n })
  const reader = readerOf(await served)
  await read(reader)
  feed.give('two', { chargeSoFar: 4_000n })
  await read(reader)
  feed.give('three', { chargeSoFar: 6_000n })
  await reader.cancel()
  assert.equal(world.chain.transfers[0]?.amount, 4_000n)
  assert.ok(feed.wasStopped)
  const again = await process.fetch(PATH, payment)
  assert.equal(again.status, 409)
  assert.equal(await codeOf(again), 'payment_spent')
  assert.equal(process.desk.runs, 1)
})

inWorld('a client that leaves before anything was delivered is not charged', async (world) => {
  const process = await world.startProcess()
  const feed = feedTo(process)
  const served = process.fetch(PATH, await process.pay(PATH, await world.newRegular(), { scheme: 'upto' }))
  feed.give('one', { chargeSoFar: 2_000n })
  await (await served).body?.cancel()
  assert.equal(world.chain.transfers.length, 0)
})

inWorld(
  'a settled stream that was cut short is run again without a further charge, and then repeated',
  async (world) => {
    const process = await world.startProcess()
    const cut = feedTo(process)
    const payment = await process.pay(PATH, world.newPayer())
    const served = process.fetch(PATH, payment)
    cut.give('one')
    const reader = readerOf(await served)
    await read(reader)
    cut.fail(new Error('the source broke'))
    await assert.rejects(read(reader))

    const whole = feedTo(process)
    const again = process.fetch(PATH, payment)
    whole.give('one')
    whole.give('two')
    whole.end()
    const response = await again
    assert.equal(receiptOf(response)?.transaction, world.chain.transfers[0]?.transaction)
    assert.equal(await response.text(), 'onetwo')
    assert.equal(world.chain.transfers.length, 1)
    assert.equal(process.desk.runs, 2)
    assert.equal(await (await process.fetch(PATH, payment)).text(), 'onetwo')
    assert.equal(process.desk.runs, 2)
  },
)

onEveryState('after a crash, recovery settles the checkpoint of an upto stream', async (state) => {
  const world = createWorld(state)
  const dying = await world.startProcess(LEASE)
  const feed = feedTo(dying)
  const payment = await dying.pay(PATH, await world.newRegular(), { scheme: 'upto' })
  const served = dying.fetch(PATH, payment)
  feed.give('one', { chargeSoFar: 2_000n })
  const reader = readerOf(await served)
  await read(reader)
  world.pass(1_001)
  feed.give('two', { chargeSoFar: 3_000n })
  await read(reader)
  feed.give('three', { chargeSoFar: 4_000n })
  await read(reader)

  // From here on the first process is stalled.
  const next = await world.startProcess(LEASE)
  world.pass(LEASE.leaseMs + 1)
  await next.gate.recover()
  assert.deepEqual(
    world.chain.transfers.map(({ amount }) => amount),
    [3_000n],
  )
  const row = await state.db.selectFrom('paid_call').selectAll().executeTakeFirstOrThrow()
  assert.equal(row.state, 'settled-unfinished')

  const whole = feedTo(next)
  const again = next.fetch(PATH, payment)
  whole.give('one', { chargeSoFar: 2_000n })
  whole.end()
  assert.equal(await (await again).text(), 'one')
  assert.equal(world.chain.transfers.length, 1)

  // The first process resumes: the call is no longer its own.
  feed.end()
  await reader.read().catch(() => null)
  assert.equal(world.chain.transfers.length, 1)
  assert.equal(dying.link.settleCalls.length, 0)
  world.close()
})

onEveryState('a crash before the first checkpoint of an upto stream charges nothing', async (state) => {
  const world = createWorld(state)
  const dying = await world.startProcess(LEASE)
  const feed = feedTo(dying)
  const served = dying.fetch(PATH, await dying.pay(PATH, await world.newRegular(), { scheme: 'upto' }))
  feed.give('one', { chargeSoFar: 2_000n })
  await served
  const next = await world.startProcess(LEASE)
  world.pass(LEASE.leaseMs + 1)
  await next.gate.recover()
  assert.equal(world.chain.transfers.length, 0)
  assert.equal(
    (await state.db.selectFrom('paid_call').selectAll().executeTakeFirstOrThrow()).state,
    'released',
  )
  world.close()
})

for (const place of ['settle', 'sent', 'mined'] as const) {
  onEveryState(
    `an exact stream whose process dies at "${place}" is delivered for at most one charge`,
    async (state) => {
      const world = createWorld(state)
      const dying = await world.startProcess(LEASE)
      const lost = feedTo(dying)
      const payment = await dying.pay(PATH, world.newPayer())
      const reached = new Promise<void>((resolve) => {
        dying.link.pause = async (here) => {
          if (here === place) resolve()
        }
      })
      dying.link.dieAt = place
      void dying.fetch(PATH, payment)
      lost.give('one')
      await reached

      const next = await world.startProcess(LEASE)
      world.pass(LEASE.leaseMs + 1)
      await next.gate.recover()
      const feed = feedTo(next)
      const again = next.fetch(PATH, payment)
      if (place !== 'sent') {
        feed.give('one')
        feed.end()
        assert.equal(await (await again).text(), 'one')
        assert.equal(world.chain.transfers.length, 1)
      } else {
        // Nobody received anything, and the authorization expires unused.
        assert.equal((await again).status, 503)
        world.pass(120_000)
        await next.gate.recover()
        assert.equal((await next.fetch(PATH, payment)).status, 402)
        assert.equal(world.chain.transfers.length, 0)
      }
      world.close()
    },
  )
}

inWorld('an upto stream whose payer drains its wallet is a strike', async (world) => {
  const process = await world.startProcess()
  const feed = feedTo(process)
  const payer = await world.newRegular()
  const served = process.fetch(PATH, await process.pay(PATH, payer, { scheme: 'upto' }))
  feed.give('one', { chargeSoFar: 2_000n })
  const reader = readerOf(await served)
  await read(reader)
  world.chain.fund(payer.address, 0n)
  feed.end()
  const comment = await read(reader)
  assert.ok(comment?.startsWith(': payment-response '))
  assert.ok(process.events.some(({ kind }) => kind === 'struck'))
})
