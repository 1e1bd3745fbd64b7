import type { Migration } from './migration.ts'

/** Transactions of payment channels that the facilitator service sends for sellers. */
export const channelOperations: Migration = {
  name: '0050-channel-operations',
  async up({ schema }) {
    await schema
      .createTable('channel_operation')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('hashes', 'text', (column) => column.notNull())
      .addColumn('answer', 'text')
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('channel_operation_created_at')
      .on('channel_operation')
      .column('created_at')
      .execute()
  },
}
