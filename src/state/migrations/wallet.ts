import { sql } from 'kysely'
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

/** Searchable pages and the index of their words. */
export const pages: Migration = {
  name: '0014-pages',
  async up(db, kind) {
    await db.schema
      .createTable('page')
      .addColumn('id', kind === 'sqlite' ? 'integer' : 'bigserial', (column) => column.primaryKey())
      .addColumn('url', 'text', (column) => column.notNull().unique())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('published_at', 'bigint')
      .addColumn('is_news', 'bigint', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('fetched_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('page_age').on('page').columns(['source', 'fetched_at']).execute()
    // Both indexes receive words that the program has segmented and stemmed, and only look them up.
    if (kind === 'sqlite')
      await sql`create virtual table page_words using fts5(title, content, content = '',
        contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'")`.execute(
        db,
      )
    else {
      await sql`alter table page add column words tsvector not null default ''`.execute(db)
      await sql`create index page_words on page using gin (words)`.execute(db)
    }
  },
}

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
