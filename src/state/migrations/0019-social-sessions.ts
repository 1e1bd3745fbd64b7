import type { Migration } from './migration.ts'

/** Sessions of users of the social network, and their uploaded images. */
export const socialSessions: Migration = {
  name: '0019-social-sessions',
  async up(db) {
    await db.schema
      .createTable('social_session')
      .addColumn('token_hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('sealed_grant', 'text')
      .addColumn('grant_expires_at', 'bigint')
      .addColumn('renewing_until', 'bigint')
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('social_session_user').on('social_session').column('user_id').execute()
    await db.schema
      .createTable('social_login')
      .addColumn('state_hash', 'text', (column) => column.primaryKey())
      .addColumn('challenge', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    for (const table of ['social_session', 'social_login'])
      await db.schema.createIndex(`${table}_expiry`).on(table).column('expires_at').execute()
    await db.schema
      .createTable('social_image')
      .addColumn('media_id', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('content_hash', 'text', (column) => column.notNull())
      .addColumn('content_type', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('content', 'bytea', (column) => column.notNull())
      .addUniqueConstraint('social_image_of_user', ['user_id', 'content_hash'])
      .execute()
    // Sums are read from this index, without the images themselves.
    await db.schema
      .createIndex('social_image_room')
      .on('social_image')
      .columns(['user_id', 'bytes'])
      .execute()
    await db.schema.createIndex('social_image_expiry').on('social_image').column('expires_at').execute()
    await db.schema
      .createTable('social_image_guard')
      .addColumn('id', 'bigint', (column) => column.primaryKey())
      .addColumn('changes', 'bigint', (column) => column.notNull())
      .execute()
  },
}
