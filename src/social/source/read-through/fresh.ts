import type { State } from '../../../state/state.ts'

/** The tweets among these that were fetched since then and whose authors are stored as well. */
export async function findFreshTweets(
  state: State,
  ids: readonly string[],
  sinceMs: number,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await state.db
    .selectFrom('social_tweet')
    .leftJoin('social_user', 'social_user.id', 'social_tweet.author_id')
    .select('social_tweet.id')
    .where('social_tweet.id', 'in', ids)
    .where('social_tweet.fetched_at', '>=', sinceMs)
    .where('social_user.id', 'is not', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Whether the user of that name (case-insensitive) was fetched since then. */
export async function isFreshUser(state: State, username: string, sinceMs: number): Promise<boolean> {
  const row = await state.db
    .selectFrom('social_user')
    .select('id')
    .where('username_key', '=', username.toLowerCase())
    .where('fetched_at', '>=', sinceMs)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a List, or the article of a tweet, was fetched since then. */
export async function isFresh(
  state: State,
  table: 'social_list' | 'social_article',
  id: string,
  sinceMs: number,
): Promise<boolean> {
  const row = await state.db
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .where('fetched_at', '>=', sinceMs)
    .executeTakeFirst()
  return row !== undefined
}
