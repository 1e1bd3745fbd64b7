import type { Migration } from './migration.ts'

/** Returning buyers of a report, to sort a ranking by; -1 where the report has none. */
export const returningBuyers: Migration = {
  name: '0041-returning-buyers',
  async up({ schema }) {
    await schema
      .alterTable('reports')
      .addColumn('returning_buyers', 'bigint', (column) => column.notNull().defaultTo(-1))
      .execute()
  },
}
