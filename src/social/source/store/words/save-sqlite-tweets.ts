import { CompiledQuery, type Transaction } from 'kysely'
import type { SocialTweetTable } from '../../../../state/tables/social.ts'
import type { Tables } from '../../../../state/tables.ts'

const COLUMNS = {
  seq: true,
  id: true,
  author_id: true,
  conversation_id: true,
  in_reply_to_id: true,
  quoted_id: true,
  community_id: true,
  likes: true,
  reposts: true,
  replies: true,
  body: true,
  fetched_at: true,
} as const satisfies Record<keyof SocialTweetTable, true>
const NAMES = Object.keys(COLUMNS) as (keyof SocialTweetTable)[]
const ROW = `(${NAMES.map(() => '?').join(', ')})`
const CHANGES = NAMES.filter((name) => name !== 'seq' && name !== 'id').map(
  (name) => `${name} = excluded.${name}`,
)

/**
 * Inserts or replaces rows by id; a replaced row keeps its `seq`. The SQL is written by hand: building it
 * from thousands of values takes longer than storing them.
 */
export async function insertTweets(
  transaction: Transaction<Tables>,
  rows: readonly SocialTweetTable[],
): Promise<void> {
  const text = `insert into social_tweet (${NAMES.join(', ')}) values ${rows.map(() => ROW).join(', ')}
    on conflict (id) do update set ${CHANGES.join(', ')}`
  const values = rows.flatMap((row) => NAMES.map((name) => row[name]))
  await transaction.executeQuery(CompiledQuery.raw(text, values))
}
