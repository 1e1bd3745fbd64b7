import assert from 'node:assert/strict'
import { type Channel, InMemoryChannelStorage } from '@x402/evm/batch-settlement/server'
import { CHANNEL_CONFIG } from '../../../testing/payments/channel-config.ts'
import { fc, slowRuns } from '../../../testing/property.ts'
import { onEveryState } from '../../../testing/state/every-state.ts'
import { createChannelRows } from './channel-rows.ts'
import { toChannelStorage } from './channel-storage.ts'

const amount = fc.integer({ min: 1, max: 1_000_000 })
const deposit = amount.map((add) => ({
  name: `deposit ${add}`,
  apply: (channel: Channel): Channel => ({ ...channel, balance: `${Number(channel.balance) + add}` }),
}))
const change = fc.oneof(
  deposit,
  // No voucher is charged while a refund is pending, so that its signed maximum stays that of the channel.
  amount.map((add) => ({
    name: `charge ${add}`,
    apply: (channel: Channel): Channel =>
      channel.pendingRequest
        ? channel
        : {
            ...channel,
            chargedCumulativeAmount: `${Number(channel.chargedCumulativeAmount) + add}`,
            signedMaxClaimable: `${Number(channel.signedMaxClaimable) + add}`,
            lastRequestTimestamp: channel.lastRequestTimestamp + 1,
          },
  })),
  fc.constant({
    name: 'claim all',
    apply: (channel: Channel): Channel => ({ ...channel, totalClaimed: channel.chargedCumulativeAmount }),
  }),
  fc.constant({
    name: 'count a refund',
    apply: (channel: Channel): Channel => ({ ...channel, refundNonce: channel.refundNonce + 1 }),
  }),
  fc.constant({
    name: 'reserve a refund, or end it',
    apply: ({ pendingRequest, ...channel }: Channel): Channel => {
      if (pendingRequest) return channel
      const { signedMaxClaimable } = channel
      return { ...channel, pendingRequest: { pendingId: 'refund', signedMaxClaimable, expiresAt: 9 } }
    },
  }),
  fc.constant({ name: 'change nothing', apply: (channel: Channel): Channel => channel }),
)
/** Groups of changes; those of a group start at once, in any order. */
const series = fc.array(
  fc.oneof(
    change.map((one) => [one]),
    fc.array(deposit, { minLength: 2, maxLength: 5 }),
  ),
  { maxLength: 12 },
)

onEveryState('the stored channels answer every update as the storage of the SDK does', async (state) => {
  const rows = createChannelRows(state, () => new Date(0))
  let opened = 0
  await fc.assert(
    fc.asyncProperty(series, async (groups) => {
      opened += 1
      const id = `0x${opened.toString(16).padStart(64, '0')}` as const
      const reading = { balance: 5n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0, isSafe: true }
      await rows.sync({ kind: 'voucher', id, config: CHANNEL_CONFIG, max: '0' }, reading)
      const ours = toChannelStorage(rows)
      const reference = new InMemoryChannelStorage()
      const start = await ours.get(id)
      await reference.updateChannel(id, () => start)
      for (const group of groups) {
        const apply = (storage: typeof ours) =>
          Promise.all(
            group.map(({ apply: update }) => storage.updateChannel(id, (held) => held && update(held))),
          )
        const [got, wanted] = await Promise.all([apply(ours), apply(reference)])
        assert.deepEqual(
          got.map(({ status }) => status),
          wanted.map(({ status }) => status),
        )
        if (group.length === 1) assert.deepEqual(got, wanted)
        assert.deepEqual(await ours.get(id), await reference.get(id))
      }
    }),
    { numRuns: slowRuns(100) },
  )
})
