import type { Migration } from './migration.ts'

/** Ids assigned to Bluesky's DIDs and record URIs. */
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
