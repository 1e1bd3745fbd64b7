import type { Migration } from './migration.ts'

/** Daily usage of upstreams, and cached pages. */
export const socialUpstream: Migration = {
  name: '0018-social-upstream',
  async up(db) {
    await db.schema
      .createTable('social_upstream_use')
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('operation', 'text', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addColumn('objects', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('social_upstream_use_key', ['provider', 'operation', 'day'])
      .execute()
    await db.schema
      .createTable('social_page')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('ids', 'text', (column) => column.notNull())
      .addColumn('next', 'text')
      .addColumn('fetched_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('social_page_fetched_at').on('social_page').column('fetched_at').execute()
  },
}
