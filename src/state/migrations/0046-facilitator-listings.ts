import type { Migration } from './migration.ts'

/** Endpoints that the facilitator service settled for. */
export const facilitatorListings: Migration = {
  name: '0046-facilitator-listings',
  async up({ schema }) {
    await schema
      .createTable('facilitator_listing')
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('operation', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('price', 'bigint', (column) => column.notNull())
      .addColumn('schemes', 'text', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('last_seen', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('facilitator_listing_key', ['pay_to', 'resource', 'operation'])
      .execute()
  },
}
