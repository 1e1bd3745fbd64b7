import type { Migration } from './migration.ts'

/** Payment channels (x402 `batch-settlement`): the newest voucher of each, and what the chain held at the last reading. */
export const paymentChannels: Migration = {
  name: '0042-payment-channels',
  async up({ schema }) {
    await schema
      .createTable('payment_channel')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('config', 'text', (column) => column.notNull())
      .addColumn('receiver', 'text', (column) => column.notNull())
      .addColumn('charged', 'bigint', (column) => column.notNull())
      .addColumn('signed_max', 'bigint', (column) => column.notNull())
      .addColumn('signature', 'text', (column) => column.notNull())
      .addColumn('balance', 'bigint', (column) => column.notNull())
      .addColumn('claimed', 'bigint', (column) => column.notNull())
      .addColumn('paid_out', 'bigint', (column) => column.notNull())
      .addColumn('withdraw_at', 'bigint', (column) => column.notNull())
      .addColumn('refund_nonce', 'bigint', (column) => column.notNull())
      .addColumn('synced_at', 'bigint', (column) => column.notNull())
      .addColumn('charged_at', 'bigint', (column) => column.notNull())
      .addColumn('unclaimed_since', 'bigint')
      .addColumn('claim_until', 'bigint', (column) => column.notNull())
      .addColumn('refund', 'text')
      .addColumn('refund_until', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('payment_channel_due').on('payment_channel').column('unclaimed_since').execute()
  },
}
