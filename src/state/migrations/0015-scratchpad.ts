import type { Migration } from './migration.ts'

/** Data of wallets in `/api/scratchpad`. */
export const scratchpad: Migration = {
  name: '0015-scratchpad',
  async up(db) {
    await db.schema
      .alterTable('wallet')
      .addColumn('pad_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema
      .createTable('pad')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('wallet', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('pad_of_wallet', ['wallet', 'name'])
      .execute()
    await db.schema.createIndex('pad_expiry').on('pad').column('expires_at').execute()
    await db.schema
      .createTable('pad_version')
      .addColumn('pad', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('made_at', 'bigint', (column) => column.notNull())
      .addColumn('content', 'bytea', (column) => column.notNull())
      .addPrimaryKeyConstraint('pad_version_key', ['pad', 'version'])
      .addForeignKeyConstraint('pad_version_of', ['pad'], 'pad', ['id'], (key) => key.onDelete('cascade'))
      .execute()
    // Changes of wallets that no longer call are deleted too.
    await db.schema.createIndex('wallet_change_made').on('wallet_change').column('made_at').execute()
  },
}
