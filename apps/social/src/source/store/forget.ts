import { sql } from 'kysely'
import type { State } from '../../state/state.ts'

/** Deletes tweets that their source no longer has, with their index entries and articles. */
export async function forgetTweets(state: State, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await state.db.transaction().execute(async (transaction) => {
    const gone = await transaction
      .deleteFrom('social_tweet')
      .where('id', 'in', ids)
      .returning('seq')
      .execute()
    const seqs = gone.map(({ seq }) => seq)
    // On PostgreSQL the indexed words are a column of the row.
    if (state.kind === 'sqlite' && seqs.length > 0)
      await sql`delete from social_tweet_words where rowid in (${sql.join(seqs)})`.execute(transaction)
    await transaction.deleteFrom('social_article').where('id', 'in', ids).execute()
  })
}

/** Deletes the user of that id, or of that name (case-insensitive), and the user's tweets. */
export async function forgetUser(
  state: State,
  { id, username }: { readonly id?: string; readonly username?: string },
): Promise<void> {
  const gone = await state.db.transaction().execute(async (transaction) => {
    const users = await transaction
      .deleteFrom('social_user')
      .where(
        id === undefined ? 'username_key' : 'id',
        '=',
        id === undefined ? (username ?? '').toLowerCase() : id,
      )
      .returning(['id', 'rank'])
      .execute()
    const ranks = users.flatMap(({ rank }) => rank ?? [])
    if (state.kind === 'sqlite' && ranks.length > 0)
      await sql`delete from social_user_words where rowid in (${sql.join(ranks)})`.execute(transaction)
    return users.map(({ id }) => id)
  })
  if (gone.length === 0) return
  const tweets = await state.db
    .selectFrom('social_tweet')
    .select('id')
    .where('author_id', 'in', gone)
    .execute()
  for (let at = 0; at < tweets.length; at += 500)
    await forgetTweets(
      state,
      tweets.slice(at, at + 500).map(({ id }) => id),
    )
}

/** Deletes a List with its members and followers. */
export async function forgetList(state: State, id: string): Promise<void> {
  await state.db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('social_list').where('id', '=', id).execute()
    await transaction
      .deleteFrom('social_relation')
      .where('kind', 'in', ['list_member', 'list_follower'])
      .where('to_id', '=', id)
      .execute()
  })
}
