import type { Migration } from './migration.ts'

/** When a listing was last seen, validators of its documents, and when merchants' hosts are visited. */
export const listingFreshness: Migration = {
  name: '0008-listing-freshness',
  async up({ schema }) {
    // 0: not seen since this column exists, so a listing that no source shows again is removed at the next
    // opportunity.
    await schema
      .alterTable('report_listings')
      .addColumn('seen_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
    await schema.alterTable('report_listing_sources').addColumn('etag', 'text').execute()
    await schema.alterTable('report_listing_sources').addColumn('modified', 'text').execute()
    await schema
      .createTable('report_listing_hosts')
      .addColumn('origin', 'text', (column) => column.primaryKey())
      .addColumn('visited_at', 'bigint')
      .addColumn('next_visit_at', 'bigint', (column) => column.notNull())
      .addColumn('failures', 'bigint', (column) => column.notNull())
      .execute()
  },
}
