import type { State } from '../../../state/state.ts'
import { type SocialUser, user } from '../user.ts'

/**
 * Stores users, each in place of what was known under its id. A name belongs to who had it last, so whoever
 * was stored with the same name before is forgotten.
 * @throws ZodError when a user is not in the shape in which it would be answered.
 */
export async function upsertUsers(
  state: State,
  users: readonly SocialUser[],
  fetchedAt: Date,
): Promise<void> {
  const fetched_at = fetchedAt.getTime()
  for (const given of users) {
    const { id, ...fields } = user.parse(given)
    const row = {
      id,
      username_key: fields.username.toLowerCase(),
      body: JSON.stringify({ id, ...fields }),
      fetched_at,
    }
    await state.db.transaction().execute(async (transaction) => {
      const namesakes = transaction.deleteFrom('social_user').where('username_key', '=', row.username_key)
      await namesakes.where('id', '<>', id).execute()
      await transaction
        .insertInto('social_user')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...row }))
        .execute()
    })
  }
}
