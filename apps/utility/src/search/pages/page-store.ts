import { indexTermsOf } from '@tollbook/flow/text/index-terms'
import { type Kysely, sql } from 'kysely'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'
import type { PageRecord } from './page-record.ts'

/** Terms of a page, in the form of its index. */
export type PageWords = { readonly title: string; readonly content: string }

/** Tokenizes the texts of a page; takes some time, so it runs in a worker. */
export function wordsOfPage({ title, content }: Pick<PageRecord, 'title' | 'content'>): PageWords {
  return { title: indexTermsOf(title).join(' '), content: indexTermsOf(content).join(' ') }
}

type Kept = {
  readonly page: PageRecord
  readonly words: PageWords
  readonly source: 'imported' | 'scraped'
  readonly now: Date
}

/** Stores a page, replacing the previous one of its URL; a scraped page never replaces an imported one. */
export async function savePage(state: State, { page, words, source, now }: Kept): Promise<void> {
  const row = {
    host: new URL(page.url).hostname,
    title: page.title,
    content: page.content,
    published_at: page.publishedAt?.getTime() ?? null,
    is_news: page.isNews ? 1 : 0,
    fetched_at: now.getTime(),
  }
  await state.db.transaction().execute(async (transaction) => {
    const saved = await transaction
      .insertInto('page')
      .values({ url: page.url, source, ...row })
      .onConflict((conflict) => {
        const update = conflict.column('url').doUpdateSet({ source, ...row })
        return source === 'imported' ? update : update.where('page.source', '=', 'scraped')
      })
      .returning('id')
      .executeTakeFirst()
    if (saved) await indexWords(transaction, { kind: state.kind, id: saved.id, words })
  })
}

async function indexWords(
  db: Kysely<Tables>,
  { kind, id, words: { title, content } }: { kind: State['kind']; id: number; words: PageWords },
): Promise<void> {
  if (kind === 'sqlite') {
    await sql`delete from page_words where rowid = ${id}`.execute(db)
    await sql`insert into page_words (rowid, title, content) values (${id}, ${title}, ${content})`.execute(db)
  } else {
    const weighted = sql`setweight(to_tsvector('simple', ${title}), 'A') || to_tsvector('simple', ${content})`
    await sql`update page set words = ${weighted} where id = ${id}`.execute(db)
  }
}

/** Deletes the oldest pages of a source beyond a number. */
export async function trimPages(
  state: State,
  { source, max }: { readonly source: 'imported' | 'scraped'; readonly max: number },
): Promise<void> {
  const old = await state.db
    .selectFrom('page')
    .select('id')
    .where('source', '=', source)
    .orderBy('fetched_at', 'desc')
    .orderBy('id', 'desc')
    .offset(max)
    // More than are added between two calls.
    .limit(1_000)
    .execute()
  for (const { id } of old)
    await state.db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('page').where('id', '=', id).execute()
      if (state.kind === 'sqlite') await sql`delete from page_words where rowid = ${id}`.execute(transaction)
    })
}

/** Whether there is any page. */
export async function hasPages(state: State): Promise<boolean> {
  return (await state.db.selectFrom('page').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Which of the URLs were stored at or after a time, and need not be fetched again. */
export async function findFresh(
  state: State,
  urls: readonly string[],
  since: Date,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  // Both databases accept far more parameters than this in one statement.
  for (let at = 0; at < urls.length; at += 500) {
    const rows = await state.db
      .selectFrom('page')
      .select('url')
      .where('url', 'in', urls.slice(at, at + 500))
      .where('fetched_at', '>=', since.getTime())
      .where('source', '=', 'imported')
      .execute()
    for (const { url } of rows) found.add(url)
  }
  return found
}
