import type { Migration } from './migration.ts'

/** Account nonces of the wallets that send settlements. */
export const signer: Migration = {
  name: '0006-signer',
  async up(db) {
    await db.schema
      .createTable('signer_transaction')
      .addColumn('signer', 'text', (column) => column.notNull())
      .addColumn('nonce', 'bigint', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('raw', 'text')
      .addColumn('payments', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('signer_transaction_key', ['signer', 'nonce'])
      .execute()
  },
}
