import type { Includes } from '../../model.ts'
import type { State } from '../../state/state.ts'
import type { SocialBundle } from '../provider.ts'
import { saveBundle } from '../store/save-bundle.ts'

/**
 * Stores an answer of the upstream with the objects it refers to; a requested object takes precedence over an
 * included one.
 */
export async function writeThrough(
  state: State,
  { users = [], tweets = [], media = [], ...others }: Partial<SocialBundle>,
  includes: Includes,
  fetchedAt: Date,
): Promise<void> {
  const bundle = {
    ...others,
    users: [...(includes.users ?? []), ...users],
    tweets: [...(includes.tweets ?? []), ...tweets],
    media: [...(includes.media ?? []), ...media],
  }
  await saveBundle(state, bundle, fetchedAt)
}
