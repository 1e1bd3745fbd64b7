import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../../../state/tables.ts'
import type { TweetWords } from './tweet-words.ts'

export type PlacedWords = {
  readonly seq: number
  readonly words: TweetWords | null
  /** Whether the index knows the place already. */
  readonly isKnown: boolean
}

/** Puts tweets into the index of SQLite, in the place of what stood there. */
export async function saveWords(
  transaction: Transaction<Tables>,
  placed: readonly PlacedWords[],
): Promise<void> {
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
