import assert from 'node:assert/strict'
import type { ChannelPayment } from '@tollbook/gate/payment'
import { CHANNEL_CONFIG } from '@tollbook/testing/payments/channel-config'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { createChannelRows } from './channel-rows.ts'

const CHANNEL: ChannelPayment = {
  kind: 'voucher',
  id: `0x${'cc'.repeat(32)}`,
  config: CHANNEL_CONFIG,
  max: '20000',
}
const BEFORE = { balance: 500_000n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0, isSafe: true }
const AFTER_REFUND = {
  balance: 10_000n,
  totalClaimed: 10_000n,
  withdrawRequestedAt: 0,
  refundNonce: 1,
  isSafe: true,
}
/** micro-USDC */
const PRICE = 10_000

onEveryState('a reading of the chain from before a refund does not restore its channel', async (state) => {
  const rows = createChannelRows(state, () => new Date())
  await rows.sync(CHANNEL, BEFORE)
  const refunded = await rows.sync(CHANNEL, AFTER_REFUND)
  // Another process has read the chain before the refund was mined, and stores its reading after it.
  assert.deepEqual(await rows.sync(CHANNEL, BEFORE), refunded)
  const charged = await state.db
    .transaction()
    .execute((transaction) => rows.charge(transaction, { channel: CHANNEL, signature: '0x', price: PRICE }))
  assert.equal(charged, null)

  const deposited = await rows.sync(CHANNEL, { ...AFTER_REFUND, balance: 20_000n })
  assert.equal(deposited.balance, 20_000)
})
