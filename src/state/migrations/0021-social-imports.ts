import type { Migration } from './migration.ts'

/** Progress of social data imports. */
export const socialImports: Migration = {
  name: '0021-social-imports',
  async up(db) {
    await db.schema
      .createTable('social_import')
      .addColumn('fingerprint', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('part', 'text', (column) => column.notNull())
      .addColumn('items', 'bigint', (column) => column.notNull())
      .addColumn('counts', 'text', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .execute()
  },
}
