import type { Migration } from './migration.ts'

/** Data of wallets in `/api/store`. */
export const wallet: Migration = {
  name: '0002-wallet',
  async up(db) {
    await db.schema
      .createTable('wallet')
      .addColumn('address', 'text', (column) => column.primaryKey())
      .addColumn('bytes_used', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('collection')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('wallet', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('row_count', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('last_id', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('collection_of_wallet', ['wallet', 'name'])
      .execute()
    await db.schema.createIndex('collection_expiry').on('collection').column('expires_at').execute()
    await db.schema
      .createTable('collection_row')
      .addColumn('collection', 'text', (column) => column.notNull())
      .addColumn('id', 'bigint', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('collection_row_key', ['collection', 'id'])
      .addForeignKeyConstraint('collection_row_of', ['collection'], 'collection', ['id'], (key) =>
        key.onDelete('cascade'),
      )
      .execute()
  },
}
