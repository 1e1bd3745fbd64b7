import type { Migration } from './migration.ts'

/** What ids were given to on a network that names things otherwise: Bluesky's DIDs and addresses of records. */
export const socialKnownUri: Migration = {
  name: '0020-social-known-uri',
  async up(db) {
    await db.schema
      .createTable('social_known_uri')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('uri', 'text', (column) => column.notNull().unique())
      .addPrimaryKeyConstraint('social_known_uri_key', ['kind', 'id'])
      .execute()
  },
}
