import type { Migration } from './migration.ts'

/** Changes that calls made to wallets' stores, so that a repeated call is idempotent. */
export const walletChanges: Migration = {
  name: '0007-wallet-changes',
  async up(db) {
    await db.schema
      .createTable('wallet_change')
      .addColumn('call_id', 'text', (column) => column.primaryKey())
      .addColumn('wallet', 'text', (column) => column.notNull())
      .addColumn('made_at', 'bigint', (column) => column.notNull())
      .addColumn('result', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('wallet_change_age')
      .on('wallet_change')
      .columns(['wallet', 'made_at'])
      .execute()
  },
}
