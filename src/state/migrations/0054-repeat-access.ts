import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Purchases that may be repeated without charge, found by payer and request. */
export const repeatAccess: Migration = {
  name: '0054-repeat-access',
  async up({ schema }) {
    await schema.alterTable('paid_call').addColumn('repeat_ms', 'bigint').execute()
    await schema
      .createIndex('paid_call_repeatable')
      .on('paid_call')
      .columns(['payer', 'fingerprint'])
      .where(sql<boolean>`repeat_ms is not null`)
      .execute()
  },
}
