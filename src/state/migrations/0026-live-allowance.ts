import type { Migration } from './migration.ts'

/** What wallets may get of live metered answers before these are settled. */
export const liveAllowance: Migration = {
  name: '0026-live-allowance',
  async up({ schema }) {
    await schema
      .createTable('live_allowance')
      .addColumn('payer', 'text', (column) => column.primaryKey())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
