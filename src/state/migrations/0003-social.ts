import type { Migration } from './migration.ts'

/** Users from social sources. */
export const social: Migration = {
  name: '0003-social',
  async up(db) {
    await db.schema
      .createTable('social_user')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('username_key', 'text', (column) => column.notNull().unique())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('fetched_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
