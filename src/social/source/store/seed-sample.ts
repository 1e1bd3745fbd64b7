import type { State } from '../../../state/state.ts'
import { article, community, list, media, tweet, user } from '../../model.ts'
import type { Relation, SocialBundle } from '../social-bundle.ts'
import BUNDLE from './sample/bundle.json' with { type: 'json' }
import USERS from './sample/users.json' with { type: 'json' }
import { saveBundle } from './save-bundle.ts'

/**
 * Stores the invented data of sample/, so that a fresh installation has an answer for every endpoint.
 * @returns the number of stored users: 0 if the store already has users.
 */
export async function seedSample(state: State, now: Date): Promise<number> {
  const present = await state.db.selectFrom('social_user').select('id').limit(1).executeTakeFirst()
  if (present) return 0
  const sample = sampleBundle()
  await saveBundle(state, sample, now)
  return sample.users.length
}

/** The sample data; all of it is invented, and its texts say so. */
function sampleBundle(): SocialBundle {
  return {
    users: USERS.users.map((one) => user.parse(one)),
    tweets: BUNDLE.tweets.map((one) => tweet.parse(one)),
    media: BUNDLE.media.map((one) => media.parse(one)),
    lists: BUNDLE.lists.map((one) => list.parse(one)),
    communities: BUNDLE.communities.map((one) => community.parse(one)),
    articles: BUNDLE.articles.map((one) => article.parse(one)),
    // The file contains only the four kinds; TypeScript infers them as string.
    relations: BUNDLE.relations as Relation[],
  }
}
