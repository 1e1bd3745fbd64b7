import type { Migration } from './migration.ts'

/** Whether a report's name is confirmed; names published earlier count as unconfirmed. */
export const confirmedNames: Migration = {
  name: '0027-confirmed-names',
  async up({ schema }) {
    await schema
      .alterTable('reports')
      .addColumn('is_name_confirmed', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
