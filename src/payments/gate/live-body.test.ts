import assert from 'node:assert/strict'
import { Feed } from '../../../test/payments/feed.ts'
import { inWorld } from '../../../test/payments/gate-world.ts'

const PATH = '/api/metered?word=hi'

inWorld('a piece at which readers stop comes behind the receipt, under both schemes', async (world) => {
  const process = await world.startProcess()
  for (const scheme of ['upto', 'exact'] as const) {
    const feed = new Feed()
    process.desk.work = ({ signal }) => feed.answer(signal)
    const served = process.fetch(PATH, await process.pay(PATH, world.newPayer(), { scheme }))
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
