import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SettleCall } from '../calls/settle-call.ts'
import type { ChannelPayment, OfferedPayment } from '../payment.ts'
import { type OpenChannels, refuseChannels } from './channels.ts'

test('a gate without channels refuses vouchers and refunds, and neither settles nor releases their calls', async () => {
  // It reads none of them.
  const { vouchers, refunds, claims } = refuseChannels({} as Parameters<OpenChannels>[0])
  const payment = {} as OfferedPayment
  const refusal = await vouchers.admit(payment)
  assert.equal(refusal?.code, 'payment_invalid')
  assert.deepEqual(await refunds.refund(payment), refusal)
  assert.deepEqual(await vouchers.stale({} as ChannelPayment), refusal)
  assert.equal(await vouchers.stateOf({} as ChannelPayment), null)
  assert.equal((await vouchers.settle({} as SettleCall)).outcome, 'unknown')
  assert.equal(claims, undefined)
})
