import type { Channel, ChannelStorage } from '@x402/evm/batch-settlement/server'
import { type ChannelRow, type ChannelRows, configOf } from './channel-rows.ts'

/** Rounds of a compare-and-swap whose row others change at the same moment. */
const MAX_TRIES = 100

/** The rows as the SDK's channel storage. @param list the rows that its channel manager works on. */
export function toChannelStorage(rows: ChannelRows, list: readonly ChannelRow[] = []): ChannelStorage {
  return {
    get: async (id) => {
      const row = await rows.find(id.toLowerCase())
      return row ? toChannel(row) : undefined
    },
    list: async () => list.map(toChannel),
    updateChannel: async (id, update) => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const row = await rows.find(id.toLowerCase())
        const current = row ? toChannel(row) : undefined
        const next = update(current)
        if (next === current) return { channel: current, status: 'unchanged' }
        // The gate creates rows from the chain, and keeps those of closed channels: their sums go on.
        if (!row || !next) throw new Error('channels are neither created nor deleted here')
        if (await rows.change(row, toChange(row, next))) return { channel: next, status: 'updated' }
      }
      throw new Error('a channel is changed all the time')
    },
  }
}

function toChannel(row: ChannelRow): Channel {
  const { refund: pendingId, refund_until: expiresAt } = row
  return {
    channelId: row.id,
    channelConfig: configOf(row),
    chargedCumulativeAmount: `${row.charged}`,
    signedMaxClaimable: `${row.signed_max}`,
    signature: row.signature,
    balance: `${row.balance}`,
    totalClaimed: `${row.claimed}`,
    withdrawRequestedAt: row.withdraw_at,
    refundNonce: row.refund_nonce,
    onchainSyncedAt: row.synced_at,
    lastRequestTimestamp: row.charged_at,
    ...(pendingId !== null && {
      pendingRequest: { pendingId, signedMaxClaimable: `${row.signed_max}`, expiresAt },
    }),
  }
}

function toChange(row: ChannelRow, channel: Channel) {
  const charged = Number(channel.chargedCumulativeAmount)
  const claimed = Number(channel.totalClaimed)
  return {
    charged,
    claimed,
    signed_max: Number(channel.signedMaxClaimable),
    signature: channel.signature,
    balance: Number(channel.balance),
    withdraw_at: channel.withdrawRequestedAt,
    refund_nonce: channel.refundNonce,
    synced_at: channel.onchainSyncedAt ?? 0,
    charged_at: channel.lastRequestTimestamp,
    unclaimed_since: charged > claimed ? row.unclaimed_since : null,
    refund: channel.pendingRequest?.pendingId ?? null,
    refund_until: channel.pendingRequest?.expiresAt ?? 0,
  }
}
