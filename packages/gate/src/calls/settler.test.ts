import assert from 'node:assert/strict'
import { inWorld, receiptOf } from '@tollbook/testing/payments/gate-world'
import { sql } from 'kysely'

const PATH = '/api/say?word=hi'
const MINUTES = 60_000

inWorld('a transfer that someone else submitted first counts as the settlement', async (world) => {
  const process = await world.startProcess()
  const payer = world.newPayer()
  const payment = await process.pay(PATH, payer)
  process.link.pause = async (place) => {
    if (place !== 'sent') return
    const row = await world.state.db
      .selectFrom('paid_call')
      .select('offer')
      .where('payer', '=', payer.address.toLowerCase())
      .executeTakeFirstOrThrow()
    const offer = JSON.parse(row.offer ?? '')
    world.chain.submit({ ...offer, signedAmount: 10_000n }, 10_000n, `0x${'fe'.repeat(32)}`)
  }
  const response = await process.fetch(PATH, payment)
  assert.equal(response.status, 200)
  assert.equal(receiptOf(response)?.transaction, `0x${'fe'.repeat(32)}`)
  assert.equal(world.chain.balanceOf(payer.address), 990_000n)
  assert.equal(process.desk.runs, 1)
})

inWorld('a transaction that was mined and moved nothing counts as all strikes at once', async (world) => {
  const process = await world.startProcess({ strikes: 3, strikeMs: 10 * MINUTES })
  const payer = world.newPayer()
  const { work } = process.desk
  process.link.revertCause = 'reverted'
  process.desk.work = (call) => {
    world.chain.fund(payer.address, 0n)
    return work(call)
  }
  assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 402)
  world.chain.fund(payer.address, 1_000_000n)
  assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 429)
  assert.equal(process.desk.runs, 1)
  world.pass(11 * MINUTES)
  process.desk.work = work
  assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 200)
})

inWorld('a payer whose transfer reverted is refused while the outcome is unknown', async (world) => {
  const process = await world.startProcess()
  const payer = world.newPayer()
  const { work } = process.desk
  process.link.answers = 'lost'
  process.desk.work = (call) => {
    world.chain.fund(payer.address, 0n)
    return work(call)
  }
  assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 503)
  world.chain.fund(payer.address, 1_000_000n)
  assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 429)
})

inWorld('a failure on our side is not a strike', async (world) => {
  const process = await world.startProcess({ strikes: 1 })
  const payer = world.newPayer()
  const { work } = process.desk
  process.link.revertCause = 'operator'
  process.desk.work = (call) => {
    world.chain.fund(payer.address, 0n)
    return work(call)
  }
  assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 402)
  world.chain.fund(payer.address, 1_000_000n)
  process.desk.work = work
  assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 200)
})

inWorld('a settlement that could not be stored is 503, and the same payment is then sold', async (world) => {
  const process = await world.startProcess({ strikes: 1 })
  const payer = world.newPayer()
  const payment = await process.pay(PATH, payer)
  await sql`create trigger refuse before update on paid_call when new.state = 'settling'
    begin select raise(abort, 'a fault of the store'); end`.execute(world.state.db)
  const response = await process.fetch(PATH, payment)
  await sql`drop trigger refuse`.execute(world.state.db)
  assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1'])
  assert.equal((await process.fetch(PATH, payment)).status, 200)
  assert.equal(world.chain.transfers.length, 1)
})

for (const doing of ['drained', 'cancelled'] as const) {
  inWorld(
    `a wallet that is ${doing} during the handler gets no answer, and is soon refused`,
    async (world) => {
      const process = await world.startProcess({ strikes: 3, strikeMs: 10 * MINUTES })
      const payer = world.newPayer()
      const { work } = process.desk
      let nonce = 0
      async function cheat(): Promise<Response> {
        world.chain.fund(payer.address, 1_000_000n)
        const next = `0x${(++nonce).toString(16).padStart(64, '0')}` as const
        const payment = await process.pay(PATH, payer, { nonce: next })
        process.desk.work = (call) => {
          if (doing === 'drained') world.chain.fund(payer.address, 0n)
          else world.chain.cancel(payer.address, next)
          return work(call)
        }
        return process.fetch(PATH, payment)
      }
      for (let times = 0; times < 3; times += 1) {
        const response = await cheat()
        assert.equal(response.status, 402)
        assert.equal(response.headers.get('x-should-retry'), 'false')
        const body = await response.text()
        assert.ok(body.includes('payment_settlement_failed'))
        assert.ok(!body.includes('"word":"hi"'))
        assert.equal(receiptOf(response)?.success, false)
      }
      assert.equal((await cheat()).status, 429)
      assert.equal(process.desk.runs, 3)
      world.pass(11 * MINUTES)
      process.desk.work = work
      world.chain.fund(payer.address, 1_000_000n)
      assert.equal((await process.fetch(PATH, await process.pay(PATH, payer))).status, 200)
    },
  )
}
