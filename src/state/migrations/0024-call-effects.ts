import type { Migration } from './migration.ts'

/** What paid calls will change once their payments have settled. It replaces the record of changes made before. */
export const callEffects: Migration = {
  name: '0024-call-effects',
  async up(db) {
    await db.schema
      .alterTable('paid_call')
      .addColumn('has_effect', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema
      .createTable('call_effect')
      .addColumn('call', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('part', 'text')
      .addColumn('is_exclusive', 'bigint', (column) => column.notNull())
      .addColumn('is_new', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('rows', 'bigint', (column) => column.notNull())
      .addColumn('last_id', 'bigint', (column) => column.notNull())
      // Last, so that reading the other columns never walks through large values.
      .addColumn('statements', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('call_effect_owner').on('call_effect').column('owner').execute()
    await db.schema.dropTable('wallet_change').execute()
  },
}
