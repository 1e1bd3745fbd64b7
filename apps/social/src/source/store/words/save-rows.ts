import { CompiledQuery, sql, type Transaction } from 'kysely'
import type { SocialTweetTable } from '../../../state/social-tables.ts'
import type { Tables } from '../../../state/tables.ts'
import type { TweetWords } from './tweet-words.ts'

/** A row with its words as `tsvector` text. */
export type WordedTweet = SocialTweetTable & { readonly words: string }

/** The columns with the types of their parameters. */
const COLUMNS = {
  seq: 'bigint',
  id: 'text',
  author_id: 'text',
  conversation_id: 'text',
  in_reply_to_id: 'text',
  quoted_id: 'text',
  community_id: 'text',
  likes: 'bigint',
  reposts: 'bigint',
  replies: 'bigint',
  body: 'text',
  fetched_at: 'bigint',
  words: 'text',
} as const satisfies Record<keyof WordedTweet, string>
const NAMES = Object.keys(COLUMNS) as (keyof WordedTweet)[]
const ROW_NAMES = NAMES.filter((name) => name !== 'words')
const SQLITE_ROW = `(${ROW_NAMES.map(() => '?').join(', ')})`
const SQLITE_CHANGES = ROW_NAMES.filter((name) => name !== 'seq' && name !== 'id').map(
  (name) => `${name} = excluded.${name}`,
)

/**
 * Maximum position of a word in a PostgreSQL tsvector
 * (https://www.postgresql.org/docs/current/textsearch-limitations.html).
 */
const LAST_POSITION = 16_383
const SEQS_PER_DAY = 86_400_000 * 2048

/**
 * Inserts or replaces rows by id; a replaced row keeps its `seq`. One array parameter per column instead of
 * one per value: parsing thousands of parameters takes longer than storing them.
 */
export async function savePostgresRows(
  transaction: Transaction<Tables>,
  rows: readonly WordedTweet[],
): Promise<void> {
  const days = [...new Set(rows.map(({ seq }) => dayOf(seq)))].sort((one, other) => one - other)
  await transaction
    .insertInto('social_tweet_day')
    .values(days.map((day) => ({ day })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const names = sql.join(NAMES.map((name) => sql.ref(name)))
  const columns = NAMES.map((name) => sql`${rows.map((row) => row[name])}::${sql.raw(COLUMNS[name])}[]`)
  const values = NAMES.map((name) => (name === 'words' ? sql`words::tsvector` : sql.ref(name)))
  const changes = NAMES.filter((name) => name !== 'seq' && name !== 'id').map(
    (name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`,
  )
  await sql`insert into social_tweet (${names})
    select ${sql.join(values)} from unnest(${sql.join(columns)}) as given (${names})
    on conflict (id) do update set ${sql.join(changes)}`.execute(transaction)
}

/**
 * Inserts or replaces rows by id; a replaced row keeps its `seq`. The SQL is written by hand: building it
 * from thousands of values takes longer than storing them.
 */
export async function saveSqliteRows(
  transaction: Transaction<Tables>,
  rows: readonly SocialTweetTable[],
): Promise<void> {
  const text = `insert into social_tweet (${ROW_NAMES.join(', ')}) values ${rows.map(() => SQLITE_ROW).join(', ')}
    on conflict (id) do update set ${SQLITE_CHANGES.join(', ')}`
  const values = rows.flatMap((row) => ROW_NAMES.map((name) => row[name]))
  await transaction.executeQuery(CompiledQuery.raw(text, values))
}

/** The day of a `seq`, since 1970 in UTC. */
export function dayOf(seq: number): number {
  return Math.floor(seq / SEQS_PER_DAY)
}

/** The words of a tweet at that `seq`, each with its day, as `tsvector` text; empty without words. */
export function toVector(words: TweetWords | null, seq: number): string {
  if (!words) return ''
  const day = dayOf(seq)
  const positions = new Map<string, number[]>()
  for (const [at, token] of words.body.slice(0, LAST_POSITION).entries()) {
    const known = positions.get(token)
    if (known) known.push(at + 1)
    else positions.set(token, [at + 1])
  }
  const placed = [...positions].map(([token, places]) => `'${day}:${token}':${places.join(',')}`)
  return [...placed, ...words.facets.map((facet) => `'${day}:${facet}'`)].join(' ')
}
