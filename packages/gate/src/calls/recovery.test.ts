import assert from 'node:assert/strict'
import { codeOf, createWorld, inWorld, type Process, receiptOf } from '@tollbook/testing/payments/gate-world'
import type { Place } from '@tollbook/testing/payments/memory-chain'
import { onEveryState } from '@tollbook/testing/state/every-state'

const LEASE = { leaseMs: 10_000, resendAfterMs: 10_000 }
const PATH = '/api/say?word=hi'
const MINUTES = 60_000

/** Starts a call that never ends, because its process dies at that place. */
async function dieDuring(process: Process, place: Place, init: RequestInit): Promise<void> {
  const reached = new Promise<void>((resolve) => {
    process.link.pause = async (here) => {
      if (here === place) resolve()
    }
  })
  process.link.dieAt = place
  void process.fetch(PATH, init)
  await reached
}

const CRASHES: readonly [Place, { runs: number; settles: number }][] = [
  // Nothing was stored: the handler runs again.
  ['verify', { runs: 1, settles: 1 }],
  ['handler', { runs: 2, settles: 1 }],
  // The answer was stored: it is settled and sent, without a second run.
  ['settle', { runs: 1, settles: 2 }],
  // The hash was stored and nothing was sent: the payer's retry settles it again.
  ['sent', { runs: 1, settles: 2 }],
  // It was settled without our knowledge.
  ['mined', { runs: 1, settles: 1 }],
]

for (const [place, { runs, settles }] of CRASHES) {
  onEveryState(`a process that dies at "${place}" charges nothing without its answer`, async (state) => {
    const world = createWorld(state)
    const dying = await world.startProcess(LEASE)
    const payer = world.newPayer()
    const payment = await dying.pay(PATH, payer)
    await dieDuring(dying, place, payment)

    const next = await world.startProcess(LEASE)
    await next.gate.recover()
    const early = await next.fetch(PATH, payment)
    assert.equal(early.status, 409, 'the lease of the dead process is still valid')
    world.pass(LEASE.leaseMs + 1)
    const response = await next.fetch(PATH, payment)
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), { word: 'hi', payer: payer.address.toLowerCase() })
    assert.equal(world.chain.transfers.length, 1)
    assert.equal(receiptOf(response)?.transaction, world.chain.transfers[0]?.transaction)
    assert.equal(dying.desk.runs + next.desk.runs, runs)
    assert.equal(dying.link.settleCalls.length + next.link.settleCalls.length, settles)
    world.close()
  })
}

onEveryState('after two crashes, a payment that was sent is concluded without a retry', async (state) => {
  const world = createWorld(state)
  const first = await world.startProcess(LEASE)
  const payment = await first.pay(PATH, world.newPayer())
  await dieDuring(first, 'settle', payment)
  world.pass(LEASE.leaseMs + 1)
  const second = await world.startProcess(LEASE)
  // Nobody fetches the answer yet, so the row may wait for the end of its authorization.
  await second.gate.recover()
  await dieDuring(second, 'mined', payment)
  world.pass(LEASE.leaseMs + 1)
  const third = await world.startProcess(LEASE)
  await third.gate.recover()
  const row = await state.db.selectFrom('paid_call').selectAll().executeTakeFirstOrThrow()
  assert.equal(row.state, 'settled')
  assert.equal(row.tx_hash, world.chain.transfers[0]?.transaction)
  world.close()
})

onEveryState('after a crash, a buffered answer that nobody fetches is not settled', async (state) => {
  const world = createWorld(state)
  const dying = await world.startProcess(LEASE)
  for (const place of ['handler', 'settle', 'sent'] as const) {
    await dieDuring(dying, place, await dying.pay(PATH, world.newPayer()))
  }
  const next = await world.startProcess(LEASE)
  for (let looks = 0; looks < 20; looks += 1) {
    world.pass(LEASE.leaseMs + 1)
    await next.gate.recover()
  }
  assert.equal(world.chain.transfers.length, 0)
  assert.equal(next.link.settleCalls.length, 0)
  const rows = await state.db.selectFrom('paid_call').selectAll().execute()
  assert.deepEqual(
    rows.map(({ state: at, answer_body, is_open, charge }) => ({ at, answer_body, is_open, charge })),
    Array.from({ length: 3 }, () => ({ at: 'released', answer_body: null, is_open: 0, charge: null })),
  )
  world.close()
})

onEveryState(
  'an unknown settlement is reported as such, and settled once the chain is final',
  async (state) => {
    const world = createWorld(state)
    const process = await world.startProcess(LEASE)
    process.link.answers = 'lost'
    world.chain.isFinal = false
    const payment = await process.pay(PATH, world.newPayer())
    for (let count = 0; count < 2; count += 1) {
      const response = await process.fetch(PATH, payment)
      assert.equal(response.status, 503)
      assert.equal(await codeOf(response), 'settlement_unknown')
      assert.equal(response.headers.get('x-should-retry'), 'false')
      assert.equal(response.headers.get('retry-after'), '5')
      assert.equal(receiptOf(response)?.success, false)
    }
    world.chain.isFinal = true
    world.pass(60_000)
    await process.gate.recover()
    const row = await state.db.selectFrom('paid_call').selectAll().executeTakeFirstOrThrow()
    assert.equal(row.state, 'settled')
    assert.equal(row.tx_hash, world.chain.transfers[0]?.transaction)
    const response = await process.fetch(PATH, payment)
    assert.equal(response.status, 200)
    assert.equal(process.desk.runs, 1)
    assert.equal(process.link.settleCalls.length, 1)
    world.close()
  },
)

onEveryState('an unknown settlement is checked at growing intervals', async (state) => {
  const world = createWorld(state)
  const process = await world.startProcess(LEASE)
  process.link.answers = 'lost'
  world.chain.isFinal = false
  const payment = await process.pay(PATH, world.newPayer())
  assert.equal((await process.fetch(PATH, payment)).status, 503)
  // A tenth of an age that is not divisible by ten.
  world.pass(35_001)
  assert.equal(await codeOf(await process.fetch(PATH, payment)), 'settlement_unknown')
  const row = await state.db.selectFrom('paid_call').selectAll().executeTakeFirstOrThrow()
  const waitMs = row.check_at - world.now()
  assert.ok(waitMs > 3_000 && waitMs < 4_000, `${waitMs} ms`)
  world.close()
})

onEveryState(
  'an unknown settlement that expired unused is released, and its answer deleted',
  async (state) => {
    const world = createWorld(state)
    const process = await world.startProcess(LEASE)
    process.link.answers = 'dropped'
    const payment = await process.pay(PATH, world.newPayer())
    assert.equal((await process.fetch(PATH, payment)).status, 503)
    world.pass(2 * MINUTES)
    await process.gate.recover()
    const row = await state.db.selectFrom('paid_call').selectAll().executeTakeFirstOrThrow()
    assert.equal(row.state, 'released')
    assert.equal(row.answer_body, null)
    assert.equal((await process.fetch(PATH, payment)).status, 402)
    assert.equal(world.chain.transfers.length, 0)
    world.close()
  },
)

inWorld('an unknown settlement that was cancelled is released with a strike', async (world) => {
  const process = await world.startProcess(LEASE)
  process.link.answers = 'dropped'
  const payer = world.newPayer()
  const nonce = `0x${'0a'.repeat(32)}` as const
  const payment = await process.pay(PATH, payer, { nonce })
  assert.equal((await process.fetch(PATH, payment)).status, 503)
  world.chain.cancel(payer.address, nonce)
  const response = await process.fetch(PATH, payment)
  assert.equal(response.status, 402)
  assert.ok(process.events.some((event) => event.kind === 'struck'))
})
