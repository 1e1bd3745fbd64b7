import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Users from social sources. */
export const social: Migration = {
  name: '0003-social',
  async up(db) {
    await db.schema
      .createTable('social_user')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('username_key', 'text', (column) => column.notNull().unique())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('fetched_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

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

/** The search indexes of tweets and users, and the order of users. */
export const socialWords: Migration = {
  name: '0017-social-words',
  async up(db, kind) {
    await db.schema.alterTable('social_user').addColumn('rank', 'bigint').execute()
    await db.schema.createIndex('social_user_rank').on('social_user').column('rank').unique().execute()
    // Both indexes receive tokens made by the program, and only look them up.
    if (kind === 'sqlite') {
      // The ASCII tokenizer treats every non-ASCII character as a letter.
      for (const [table, columns] of [
        ['social_tweet_words', 'body, facet'],
        ['social_user_words', 'body'],
      ] as const)
        await sql`create virtual table ${sql.table(table)} using fts5(${sql.raw(columns)}, content = '',
          contentless_delete = 1, tokenize = "ascii tokenchars '_'")`.execute(db)
      return
    }
    await db.schema
      .createTable('social_tweet_day')
      .addColumn('day', 'bigint', (column) => column.primaryKey())
      .execute()
    for (const table of ['social_tweet', 'social_user']) {
      await sql`alter table ${sql.table(table)} add column words tsvector not null default ''`.execute(db)
      await sql`create index ${sql.raw(`${table}_words`)} on ${sql.table(table)} using gin (words)`.execute(
        db,
      )
    }
  },
}

/** Daily usage of upstreams, and cached pages. */
export const socialUpstream: Migration = {
  name: '0018-social-upstream',
  async up(db) {
    await db.schema
      .createTable('social_upstream_use')
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('operation', 'text', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addColumn('objects', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('social_upstream_use_key', ['provider', 'operation', 'day'])
      .execute()
    await db.schema
      .createTable('social_page')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('ids', 'text', (column) => column.notNull())
      .addColumn('next', 'text')
      .addColumn('fetched_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('social_page_fetched_at').on('social_page').column('fetched_at').execute()
  },
}

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

/** Progress of social data imports. */
export const socialImports: Migration = {
  name: '0021-social-imports',
  async up(db) {
    await db.schema
      .createTable('social_import')
      .addColumn('fingerprint', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('part', 'text', (column) => column.notNull())
      .addColumn('items', 'bigint', (column) => column.notNull())
      .addColumn('counts', 'text', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .execute()
  },
}

/** Positions of relations, so that no two share one. */
export const socialRelationPlaces: Migration = {
  name: '0022-social-relation-places',
  async up(db) {
    await db.schema
      .createTable('social_relation_place')
      .addColumn('one', 'bigint', (column) => column.primaryKey())
      .addColumn('last', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.alterTable('social_import').addColumn('relations_from', 'bigint').execute()
  },
}

/**
 * PostgreSQL collects new words in a pending list (4 MB by default) before sorting them into the index, and
 * every lookup reads that whole list. A search makes one lookup per day, so the list is limited to 64 kB, the
 * minimum: a lookup then costs at most 20 microseconds, and inserting is still more than twice as fast as
 * without the list (https://www.postgresql.org/docs/current/gin.html#GIN-FAST-UPDATE).
 */
export const socialWordsPending: Migration = {
  name: '0023-social-words-pending',
  async up(db, kind) {
    if (kind === 'sqlite') return
    for (const index of ['social_tweet_words', 'social_user_words'])
      await sql`alter index ${sql.ref(index)} set (gin_pending_list_limit = 64)`.execute(db)
  },
}
