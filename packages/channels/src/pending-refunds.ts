import { randomUUID } from 'node:crypto'
import type { ChannelEscrow, SendOrder } from '@tollbook/gate/facilitator'
import type { ChannelPayment, OfferedPayment, SentPayment } from '@tollbook/gate/payment'
import type { State } from '@tollbook/gate/state/state'
import { readDatabaseTime } from '@tollbook/store/database-time'
import type { ChannelRow, ChannelRows } from './channel-rows.ts'

/** Longer than a transaction is waited for. */
const LEASE_MS = 60_000

/** Refunds under way. Nothing is charged to their channels, whose balance they reduce. */
export interface PendingRefunds {
  /** The id of a new refund of a channel: its nonce, and a random part. */
  newId(row: ChannelRow): string
  /** What reserves a channel for a refund. */
  reservation(refund: string): Promise<Pick<ChannelRow, 'refund' | 'refund_until'>>
  /** The order of a refund, by which its transaction is found. */
  orderOf(
    payment: OfferedPayment & { readonly channel: ChannelPayment },
    refund: string,
  ): SendOrder & { readonly beforeSend: () => Promise<number> }
  /**
   * Ends the refund of a channel, and reads the channel again; null if the refund may still be mined.
   * @param own the refund of this process, which sends nothing more for it.
   * @param mayBeStored whether the store may still execute the statement that stores its transaction.
   */
  end(channel: ChannelPayment, own?: string, mayBeStored?: boolean): Promise<ChannelRow | null>
}

export function createPendingRefunds(parts: {
  readonly escrow: ChannelEscrow
  readonly rows: ChannelRows
  readonly state: State
}): PendingRefunds {
  const { escrow, rows, state } = parts
  const reservation = async (refund: string) => ({
    refund,
    refund_until: (await readDatabaseTime(state)) + LEASE_MS,
  })
  const sentFor = ({ id, config }: ChannelPayment, refund: string): SentPayment => ({
    payer: config.payer,
    payTo: config.receiver,
    nonce: `${id}:${refund}`,
  })

  return {
    newId: ({ refund_nonce }) => `${refund_nonce}:${randomUUID()}`,
    reservation,
    orderOf: ({ channel }, refund) => ({
      payment: sentFor(channel, refund),
      beforeSend: async () => {
        for (;;) {
          const row = await rows.find(channel.id)
          if (row?.refund !== refund) throw new Error('another process has ended this refund')
          const reserved = await reservation(refund)
          // The rest of the lease is for a slow commit.
          if (await rows.change(row, reserved)) return reserved.refund_until - LEASE_MS / 2
        }
      },
    }),
    end: async (channel, own, mayBeStored = false) => {
      // A claim may change the row meanwhile.
      for (;;) {
        // In this order, what was stored within the lease is found, and what was mined since then is in the reading.
        const nowMs = await readDatabaseTime(state)
        const refund = (await rows.find(channel.id))?.refund
        const found = refund ? (await escrow.findSent(sentFor(channel, refund), [])).found : 'gone'
        const row = await rows.sync(channel, await escrow.read(channel.id))
        if (row.refund === null) return row
        // A node that lags shows the balance from before the refund.
        const isSeen = row.refund_nonce > Number.parseInt(row.refund, 10)
        const isOpen = !isSeen && (found === 'pending' || found === 'mined')
        const isOwn = row.refund === own && (isOpen || !mayBeStored)
        if (!isOwn && row.refund_until > nowMs) return null
        const isClaimed = row.charged <= row.claimed
        const over = { refund: null, refund_until: 0, ...(isClaimed && { unclaimed_since: null }) }
        const change = isOpen ? { refund_until: 0 } : over
        if (await rows.change(row, change)) return isOpen ? null : { ...row, ...change }
      }
    },
  }
}
