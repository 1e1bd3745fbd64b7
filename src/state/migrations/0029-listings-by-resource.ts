import type { Migration } from './migration.ts'

/** Who is listed for a resource is looked up before each payment to it. */
export const listingsByResource: Migration = {
  name: '0029-listings-by-resource',
  async up({ schema }) {
    await schema.createIndex('report_listings_resource').on('report_listings').column('resource').execute()
  },
}
