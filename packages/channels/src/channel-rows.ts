import type { ChannelConfig } from '@tollbook/chain/digests'
import type { Hex } from '@tollbook/chain/hex'
import type { ChannelReading, ChannelStateExtra } from '@tollbook/gate/facilitator'
import type { ChannelPayment } from '@tollbook/gate/payment'
import type { PaymentChannelTable } from '@tollbook/gate/state/payment-tables'
import type { State } from '@tollbook/gate/state/state'
import type { Tables } from '@tollbook/gate/state/tables'
import { type Selectable, sql, type Transaction, type UpdateObject } from 'kysely'

export type ChannelRow = Selectable<PaymentChannelTable>

/** The channels of all processes: every change is one compare-and-swap. */
export interface ChannelRows {
  find(id: string): Promise<ChannelRow | null>
  /**
   * Stores what the chain holds of a channel, unless the row has a later refund. A channel that is not stored yet, or
   * whose row is older than the chain, has been charged what was claimed.
   */
  sync(channel: ChannelPayment, reading: ChannelReading): Promise<ChannelRow>
  /** Charges a voucher, if it is the next one of its channel and the channel covers it; null if not. */
  charge(
    transaction: Transaction<Tables>,
    voucher: { readonly channel: ChannelPayment; readonly signature: Hex; readonly price: number },
  ): Promise<ChannelRow | null>
  /** Changes a row that is exactly as it was read. */
  change(row: ChannelRow, change: UpdateObject<Tables, 'payment_channel'>): Promise<boolean>
}

export function createChannelRows(state: State, clock: () => Date): ChannelRows {
  const nowMs = () => clock().getTime()
  const bumped = sql<number>`version + 1`

  const select = (id: string) => state.db.selectFrom('payment_channel').selectAll().where('id', '=', id)

  return {
    find: async (id) => (await select(id).executeTakeFirst()) ?? null,
    sync: async ({ id, config }, reading) => {
      const claimed = Number(reading.totalClaimed)
      const seen = {
        balance: Number(reading.balance),
        withdraw_at: reading.withdrawRequestedAt,
        refund_nonce: reading.refundNonce,
        synced_at: reading.isSafe ? nowMs() : 0,
      }
      const row = {
        ...seen,
        id,
        version: 1,
        config: JSON.stringify(config),
        receiver: config.receiver,
        charged: claimed,
        signed_max: claimed,
        signature: '0x',
        claimed,
        paid_out: claimed,
        charged_at: nowMs(),
        unclaimed_since: null,
        claim_until: 0,
        refund: null,
        refund_until: 0,
      }
      const atLeast = (column: 'charged' | 'claimed' | 'signed_max') =>
        sql<number>`case when ${sql.ref(`payment_channel.${column}`)} < ${claimed} then ${claimed} else ${sql.ref(`payment_channel.${column}`)} end`
      const stored = await state.db
        .insertInto('payment_channel')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet({
              ...seen,
              version: sql<number>`payment_channel.version + 1`,
              charged: atLeast('charged'),
              claimed: atLeast('claimed'),
              signed_max: atLeast('signed_max'),
            })
            // The chain may have been read before a refund that is stored already.
            .where('payment_channel.refund_nonce', '<=', reading.refundNonce),
        )
        .returningAll()
        .executeTakeFirst()
      return stored ?? select(id).executeTakeFirstOrThrow()
    },
    charge: async (transaction, { channel, signature, price }) => {
      const max = Number(channel.max)
      const row = await transaction
        .updateTable('payment_channel')
        .set({
          version: bumped,
          charged: max,
          signed_max: max,
          signature,
          charged_at: nowMs(),
          unclaimed_since: sql<number>`coalesce(unclaimed_since, ${nowMs()})`,
        })
        .where('id', '=', channel.id)
        .where('charged', '=', max - price)
        .where('balance', '>=', max)
        .where('withdraw_at', '=', 0)
        .where('refund', 'is', null)
        .returningAll()
        .executeTakeFirst()
      return row ?? null
    },
    change: async ({ id, version }, change) => {
      const changed = await state.db
        .updateTable('payment_channel')
        .set({ ...change, version: version + 1 })
        .where('id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst()
      return changed.numUpdatedRows === 1n
    },
  }
}

/** The terms of a stored channel. */
export function configOf({ config }: ChannelRow): ChannelConfig {
  // Only this module writes the column.
  return JSON.parse(config) as ChannelConfig
}

/** A channel as its client reads it. */
export function toChannelState(row: ChannelRow): ChannelStateExtra {
  return {
    channelId: row.id as Hex,
    balance: `${row.balance}`,
    totalClaimed: `${row.claimed}`,
    withdrawRequestedAt: row.withdraw_at,
    refundNonce: `${row.refund_nonce}`,
    chargedCumulativeAmount: `${row.charged}`,
  }
}
