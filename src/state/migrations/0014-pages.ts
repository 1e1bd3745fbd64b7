import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Searchable pages and the index of their words. */
export const pages: Migration = {
  name: '0014-pages',
  async up(db, kind) {
    await db.schema
      .createTable('page')
      .addColumn('id', kind === 'sqlite' ? 'integer' : 'bigserial', (column) => column.primaryKey())
      .addColumn('url', 'text', (column) => column.notNull().unique())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('published_at', 'bigint')
      .addColumn('is_news', 'bigint', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('fetched_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('page_age').on('page').columns(['source', 'fetched_at']).execute()
    // Both indexes receive words that the program has segmented and stemmed, and only look them up.
    if (kind === 'sqlite')
      await sql`create virtual table page_words using fts5(title, content, content = '',
        contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'")`.execute(
        db,
      )
    else {
      await sql`alter table page add column words tsvector not null default ''`.execute(db)
      await sql`create index page_words on page using gin (words)`.execute(db)
    }
  },
}
