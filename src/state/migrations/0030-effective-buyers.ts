import type { Migration } from './migration.ts'

/** Effective buyers of a report in hundredths, to sort a ranking by; 0 for reports published earlier. */
export const effectiveBuyers: Migration = {
  name: '0030-effective-buyers',
  async up({ schema }) {
    await schema
      .alterTable('reports')
      .addColumn('effective_buyers_hundredths', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
