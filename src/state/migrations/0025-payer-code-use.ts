import type { Migration } from './migration.ts'

/** Gas that settlements of payers with code may cost, and did. */
export const payerCodeUse: Migration = {
  name: '0025-payer-code-use',
  async up(db) {
    await db.schema
      .createTable('payer_code_use')
      .addColumn('call', 'text', (column) => column.primaryKey())
      .addColumn('code_hash', 'text', (column) => column.notNull())
      .addColumn('gas', 'bigint', (column) => column.notNull())
      .addColumn('burnt', 'bigint', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('payer_code_use_age').on('payer_code_use').column('used_at').execute()
  },
}
