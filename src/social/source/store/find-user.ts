import type { State } from '../../../state/state.ts'
import type { SocialUser } from '../../model.ts'

/** The stored user of that name (case-insensitive); null if there is none. */
export async function findUser(state: State, username: string): Promise<SocialUser | null> {
  // No username contains NUL, and PostgreSQL rejects text that does.
  if (username.includes('\0')) return null
  const read = state.prepare('social_user by username', (db) =>
    db.selectFrom('social_user').select('body').where('username_key', '=', ''),
  )
  const [found] = await read([username.toLowerCase()])
  // saveBundle validated every user before it was stored.
  return found ? (JSON.parse(found.body) as SocialUser) : null
}
