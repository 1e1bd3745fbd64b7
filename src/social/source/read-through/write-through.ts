import type { State } from '../../../state/state.ts'
import type { Includes } from '../../model/includes.ts'
import type { SocialBundle } from '../social-bundle.ts'
import { saveBundle } from '../store/save-bundle.ts'

/** Stores what an upstream gave, with what it refers to; where both have an object, what was asked for counts. */
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
