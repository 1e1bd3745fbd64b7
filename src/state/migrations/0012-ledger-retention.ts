import type { Migration } from './migration.ts'

/** Start of the retained payments. */
export const ledgerRetention: Migration = {
  name: '0012-ledger-retention',
  async up({ schema }) {
    await schema.alterTable('index_chain').addColumn('dropped_until', 'bigint').execute()
  },
}
