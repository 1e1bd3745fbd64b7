import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** What the gas of settlements cost, and the settled calls of a service by time. */
export const sales: Migration = {
  name: '0055-sales',
  async up({ schema }) {
    await schema.alterTable('paid_call').addColumn('gas_cost', 'bigint').execute()
    await schema
      .createIndex('paid_call_settled')
      .on('paid_call')
      .columns(['service', 'settled_at'])
      .where(sql<boolean>`settled_at is not null`)
      .execute()
  },
}
