import type { Migration } from './migration.ts'

/** What wallets have paid towards the gas of their reverted settlements. */
export const payerCredit: Migration = {
  name: '0028-payer-credit',
  async up({ schema }) {
    await schema
      .createTable('payer_credit')
      .addColumn('payer', 'text', (column) => column.primaryKey())
      .addColumn('calls', 'bigint', (column) => column.notNull())
      .addColumn('reverted_at', 'bigint')
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
