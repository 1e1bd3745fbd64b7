import type { Migration } from './migration.ts'

/** The chain of the published reports. */
export const reportChain: Migration = {
  name: '0013-report-chain',
  async up({ schema }) {
    await schema
      .createTable('report_chain')
      .addColumn('is_current', 'bigint', (column) => column.primaryKey())
      .addColumn('chain', 'text', (column) => column.notNull())
      .execute()
  },
}
