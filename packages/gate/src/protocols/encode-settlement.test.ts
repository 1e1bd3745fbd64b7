import assert from 'node:assert/strict'
import { Feed } from '@tollbook/testing/payments/feed'
import { inWorld } from '@tollbook/testing/payments/gate-world'

const PATH = '/api/metered?word=hi'

inWorld(
  'an upto stream whose settlement is unknown names the transaction that may have charged it',
  async (world) => {
    const { desk, fetch, link, pay } = await world.startProcess()
    link.answers = 'lost'
    const feed = new Feed()
    desk.work = ({ signal }) => feed.answer(signal)
    const served = fetch(PATH, await pay(PATH, await world.newRegular(), { scheme: 'upto' }))
    feed.give('one', { chargeSoFar: 2_000n })
    feed.end()
    const text = await (await served).text()
    const [, encoded = ''] = /: payment-response (\S+)\n\n$/.exec(text) ?? []
    const receipt = JSON.parse(Buffer.from(encoded, 'base64').toString())
    assert.equal(receipt.success, false)
    assert.equal(receipt.errorReason, 'timeout')
    assert.equal(receipt.transaction, world.chain.transfers[0]?.transaction)
  },
)
