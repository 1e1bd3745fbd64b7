import type { Migration } from './migration.ts'

/** Gas that the facilitator service used for each payee, by hour. */
export const payeeGas: Migration = {
  name: '0045-payee-gas',
  async up({ schema }) {
    await schema
      .createTable('payee_gas')
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('gas', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('payee_gas_key', ['pay_to', 'hour'])
      .execute()
  },
}
