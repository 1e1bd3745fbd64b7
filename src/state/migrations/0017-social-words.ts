import { sql } from 'kysely'
import type { Migration } from './migration.ts'

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
