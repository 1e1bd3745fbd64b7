import { sql, type Transaction } from 'kysely'
import type { State } from '../../../../state/state.ts'
import type { Tables } from '../../../../state/tables.ts'
import type { TweetWords } from './tweet-words.ts'

/** Positions of a text in a PostgreSQL index end here (https://www.postgresql.org/docs/current/textsearch-limitations.html). */
const LAST_POSITION = 16_383
const SEQS_PER_DAY = 86_400_000 * 2048

/** The day of a place in time, since 1970 in UTC. */
export function dayOf(seq: number): number {
  return Math.floor(seq / SEQS_PER_DAY)
}

export type PlacedWords = {
  readonly seq: number
  readonly words: TweetWords | null
  /** Whether the index knows the place already. */
  readonly isKnown: boolean
}

/** Puts tweets into the index, in the place of what stood there. */
export async function saveWords(
  transaction: Transaction<Tables>,
  kind: State['kind'],
  placed: readonly PlacedWords[],
): Promise<void> {
  if (placed.length === 0) return
  if (kind === 'postgres') return savePostgres(transaction, placed)
  const known = placed.filter(({ isKnown }) => isKnown).map(({ seq }) => seq)
  if (known.length > 0)
    await sql`delete from social_tweet_words where rowid in (${sql.join(known)})`.execute(transaction)
  const rows = placed.flatMap(({ seq, words }) =>
    words ? [sql`(${seq}, ${words.body.join(' ')}, ${words.facets.join(' ')})`] : [],
  )
  if (rows.length > 0)
    await sql`insert into social_tweet_words (rowid, body, facet) values ${sql.join(rows)}`.execute(
      transaction,
    )
}

async function savePostgres(transaction: Transaction<Tables>, placed: readonly PlacedWords[]): Promise<void> {
  const days = [...new Set(placed.map(({ seq }) => dayOf(seq)))].sort((one, other) => one - other)
  await transaction
    .insertInto('social_tweet_day')
    .values(days.map((day) => ({ day })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const rows = placed.map(
    ({ seq, words }) => sql`(${seq}::bigint, ${words ? toVector(words, dayOf(seq)) : ''}::tsvector)`,
  )
  await sql`update social_tweet set words = given.words from (values ${sql.join(rows)}) as given (seq, words)
    where social_tweet.seq = given.seq`.execute(transaction)
}

function toVector({ body, facets }: TweetWords, day: number): string {
  const positions = new Map<string, number[]>()
  for (const [at, token] of body.slice(0, LAST_POSITION).entries()) {
    const known = positions.get(token)
    if (known) known.push(at + 1)
    else positions.set(token, [at + 1])
  }
  const words = [...positions].map(([token, places]) => `'${day}:${token}':${places.join(',')}`)
  return [...words, ...facets.map((facet) => `'${day}:${facet}'`)].join(' ')
}
