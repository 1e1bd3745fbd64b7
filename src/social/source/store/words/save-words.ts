import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../../../state/tables.ts'
import type { TweetWords } from './tweet-words.ts'

type PlacedWords = { readonly seq: number; readonly words: TweetWords | null }

/** Deletes rows from the SQLite index. */
export async function deleteWords(transaction: Transaction<Tables>, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return
  await sql`delete from social_tweet_words
    where rowid in (select value from json_each(${JSON.stringify(seqs)}))`.execute(transaction)
}

/**
 * Inserts tweets at free rows of the SQLite index: with one parameter instead of three per row, and in the
 * order of rowids, since the index flushes its buffer at every step back (`sqlite3Fts5IndexBeginWrite` in
 * https://sqlite.org/src/file/ext/fts5/fts5_index.c).
 */
export async function insertWords(
  transaction: Transaction<Tables>,
  placed: readonly PlacedWords[],
): Promise<void> {
  const rows = placed
    .toSorted((one, other) => one.seq - other.seq)
    .flatMap(({ seq, words }) => (words ? [[seq, words.body.join(' '), words.facets.join(' ')]] : []))
  if (rows.length === 0) return
  await sql`insert into social_tweet_words (rowid, body, facet)
    select value ->> 0, value ->> 1, value ->> 2 from json_each(${JSON.stringify(rows)})`.execute(transaction)
}
