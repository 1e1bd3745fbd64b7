import { sql, type Transaction } from 'kysely'
import { referenceOf, type Tweet } from '../../model.ts'
import type { SocialTweetTable } from '../../state/social-tables.ts'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'
import { batches } from './save-relations.ts'
import { findPlaces } from './tweet-seq.ts'
import { savePostgresRows, saveSqliteRows, toVector } from './words/save-rows.ts'
import { type TweetWords, wordsOf } from './words/tweet-words.ts'

/** The stored form of a tweet. */
export type PreparedTweet = {
  readonly tweet: Tweet
  readonly body: string
  readonly words: TweetWords | null
}

type Placed = PreparedTweet & { readonly seq: number; readonly storedBody: string | null }

type PlacedWords = { readonly seq: number; readonly words: TweetWords | null }

/** The stored form of tweets, computed before the transaction, which blocks other writers. */
export function prepareTweets(tweets: readonly Tweet[]): PreparedTweet[] {
  // The last of several with one id wins.
  const distinct = [...new Map(tweets.map((one) => [one.id, one])).values()]
  return distinct.map((tweet) => ({ tweet, body: JSON.stringify(tweet), words: wordsOf(tweet) }))
}

/** Inserts or replaces tweets with their indexed words; a replaced tweet keeps its position in time. */
export async function saveTweets(
  transaction: Transaction<Tables>,
  kind: State['kind'],
  prepared: readonly PreparedTweet[],
  fetched_at: number,
): Promise<void> {
  if (kind === 'sqlite') {
    if (prepared.length > 0) await saveSqliteTweets(transaction, prepared, fetched_at)
    return
  }
  for (const batch of batches(prepared)) {
    const placed = await place(transaction, kind, batch, fetched_at)
    await savePostgresRows(
      transaction,
      placed.map((one) => ({ ...toRow(one, fetched_at), words: toVector(one.words, one.seq) })),
    )
  }
}

/**
 * The words of all tweets in one statement: the index flushes its buffer after each multi-row statement, and merges the
 * result later. Independent statements are sent to the writer thread in one message.
 */
async function saveSqliteTweets(
  transaction: Transaction<Tables>,
  prepared: readonly PreparedTweet[],
  fetched_at: number,
): Promise<void> {
  const placed = await place(transaction, 'sqlite', prepared, fetched_at)
  const found = placed.filter(isFoundOtherwise)
  const known = found.filter(({ storedBody }) => storedBody !== null)
  await deleteWords(
    transaction,
    known.map(({ seq }) => seq),
  )
  await Promise.all([
    ...batches(placed).map((batch) =>
      saveSqliteRows(
        transaction,
        batch.map((one) => toRow(one, fetched_at)),
      ),
    ),
    insertWords(transaction, found),
  ])
}

async function place(
  transaction: Transaction<Tables>,
  kind: State['kind'],
  prepared: readonly PreparedTweet[],
  fetched_at: number,
): Promise<Placed[]> {
  const tweets = prepared.map(({ tweet }) => tweet)
  const places = await findPlaces(transaction, kind, tweets, fetched_at)
  return prepared.map((one, at) => ({ ...one, ...(places[at] ?? { seq: 0, storedBody: null }) }))
}

/** Whether a tweet is new or its indexed words changed; most updated tweets differ only in their counts. */
function isFoundOtherwise({ body, words, storedBody }: Placed): boolean {
  if (storedBody === null) return true
  if (storedBody === body) return false
  // The stored body was validated earlier.
  return JSON.stringify(wordsOf(JSON.parse(storedBody) as Tweet)) !== JSON.stringify(words)
}

function toRow({ tweet, body, seq }: Placed, fetched_at: number): SocialTweetTable {
  const { like_count, retweet_count, reply_count } = tweet.public_metrics ?? {}
  return {
    seq,
    id: tweet.id,
    author_id: tweet.author_id ?? null,
    conversation_id: tweet.conversation_id ?? null,
    in_reply_to_id: referenceOf(tweet, 'replied_to') ?? null,
    quoted_id: referenceOf(tweet, 'quoted') ?? null,
    community_id: tweet.community_id ?? null,
    likes: like_count ?? null,
    reposts: retweet_count ?? null,
    replies: reply_count ?? null,
    body,
    fetched_at,
  }
}

/** Deletes rows from the SQLite index. */
async function deleteWords(transaction: Transaction<Tables>, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return
  await sql`delete from social_tweet_words
    where rowid in (select value from json_each(${JSON.stringify(seqs)}))`.execute(transaction)
}

/**
 * Inserts tweets at free rows of the SQLite index: with one parameter instead of three per row, and in the
 * order of rowids, since the index flushes its buffer at every step back (`sqlite3Fts5IndexBeginWrite` in
 * https://sqlite.org/src/file/ext/fts5/fts5_index.c).
 */
async function insertWords(transaction: Transaction<Tables>, placed: readonly PlacedWords[]): Promise<void> {
  const rows = placed
    .toSorted((one, other) => one.seq - other.seq)
    .flatMap(({ seq, words }) => (words ? [[seq, words.body.join(' '), words.facets.join(' ')]] : []))
  if (rows.length === 0) return
  await sql`insert into social_tweet_words (rowid, body, facet)
    select value ->> 0, value ->> 1, value ->> 2 from json_each(${JSON.stringify(rows)})`.execute(transaction)
}
