import type { Migration } from './migration.ts'

/** Social data besides users: tweets, lists, communities, articles and relations. */
export const socialStore: Migration = {
  name: '0016-social-store',
  async up(db) {
    await db.schema
      .createTable('social_tweet')
      .addColumn('seq', 'bigint', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('author_id', 'text')
      .addColumn('conversation_id', 'text')
      .addColumn('in_reply_to_id', 'text')
      .addColumn('quoted_id', 'text')
      .addColumn('community_id', 'text')
      .addColumn('likes', 'bigint')
      .addColumn('reposts', 'bigint')
      .addColumn('replies', 'bigint')
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('fetched_at', 'bigint', (column) => column.notNull())
      .execute()
    for (const column of ['author_id', 'in_reply_to_id', 'quoted_id', 'community_id'] as const)
      await db.schema
        .createIndex(`social_tweet_by_${column}`)
        .on('social_tweet')
        .columns([column, 'seq'])
        .where(column, 'is not', null)
        .execute()
    for (const table of ['social_list', 'social_community', 'social_article', 'social_media'])
      await db.schema
        .createTable(table)
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('body', 'text', (column) => column.notNull())
        .addColumn('fetched_at', 'bigint', (column) => column.notNull())
        .execute()
    await db.schema
      .createTable('social_relation')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('from_id', 'text', (column) => column.notNull())
      .addColumn('to_id', 'text', (column) => column.notNull())
      .addColumn('pos', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('social_relation_key', ['kind', 'to_id', 'from_id'])
      .execute()
    await db.schema
      .createIndex('social_relation_to')
      .on('social_relation')
      .columns(['kind', 'to_id', 'pos'])
      .execute()
    await db.schema
      .createIndex('social_relation_from')
      .on('social_relation')
      .columns(['kind', 'from_id', 'pos'])
      .execute()
    await db.schema
      .createTable('service_secret')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute()
  },
}
