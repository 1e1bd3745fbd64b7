import type { State } from '../../../state/state.ts'
import type { SocialProvider } from '../provider.ts'
import type { SocialUser } from '../user.ts'

/** Answers from the state store, with what was imported or fetched before. */
export function createStoreProvider(state: State): SocialProvider {
  return {
    name: 'store',
    capabilities: new Set(['userByUsername']),
    async userByUsername(username, signal) {
      signal.throwIfAborted()
      const found = await state.db
        .selectFrom('social_user')
        .select('body')
        .where('username_key', '=', username.toLowerCase())
        .executeTakeFirst()
      // upsertUsers has parsed every user before it was stored.
      return found ? (JSON.parse(found.body) as SocialUser) : null
    },
  }
}
