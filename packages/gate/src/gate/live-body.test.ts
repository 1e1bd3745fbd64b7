import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { Feed } from '@tollbook/testing/payments/feed'
import { codeOf, inWorld } from '@tollbook/testing/payments/gate-world'

const PATH = '/api/metered?word=hi'

inWorld('the end piece of a format follows the receipt, under both schemes', async (world) => {
  const process = await world.startProcess()
  for (const scheme of ['upto', 'exact'] as const) {
    const feed = new Feed()
    process.desk.work = ({ signal }) => feed.answer(signal)
    const served = process.fetch(PATH, await process.pay(PATH, await world.newRegular(), { scheme }))
    feed.give('one', { chargeSoFar: 2_000n })
    feed.give('done', { chargeSoFar: 2_500n, isContent: false, isEnd: true })
    const response = await served
    const text = await response.text()
    assert.match(text, scheme === 'upto' ? /^one: payment-response \S+\n\ndone$/ : /^onedone$/)
    const [row] = await world.state.db
      .selectFrom('paid_call')
      .select(['state', 'charge'])
      .where('scheme', '=', scheme)
      .orderBy('reserved_at', 'desc')
      .execute()
    assert.deepEqual(row, { state: 'settled', charge: scheme === 'upto' ? 2_500 : 50_000 })
  }
})

inWorld('a reader that stalls pays for what it was sent once the run is over', async (world) => {
  const process = await world.startProcess()
  const feed = new Feed()
  process.desk.work = ({ signal }) => feed.answer(signal)
  const payment = await process.pay('/api/brief?word=hi', await world.newRegular(), { scheme: 'upto' })
  const served = process.fetch('/api/brief?word=hi', payment)
  feed.give('one', { chargeSoFar: 2_000n })
  const reader = (await served).body?.getReader()
  assert.ok(reader)
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  assert.equal(await read(), 'one')
  feed.give('two', { chargeSoFar: 4_000n })
  while (world.chain.transfers.length === 0) await wait(20)
  assert.deepEqual(
    world.chain.transfers.map(({ amount }) => amount),
    [2_000n],
  )
  assert.match(await read(), /^: payment-response \S+\n\n$/)
  await assert.rejects(read())
  assert.ok(feed.wasStopped)
  // We did not cut it off, so no second run is owed.
  assert.equal(await codeOf(await process.fetch('/api/brief?word=hi', payment)), 'payment_spent')
  assert.equal(process.desk.runs, 1)
})
