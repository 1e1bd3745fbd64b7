import type { Migration } from './migration.ts'

/** Payment schemes of a listing: a metered price is a maximum. */
export const listingSchemes: Migration = {
  name: '0031-listing-schemes',
  async up({ schema }) {
    await schema
      .alterTable('report_listings')
      .addColumn('schemes', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  },
}
