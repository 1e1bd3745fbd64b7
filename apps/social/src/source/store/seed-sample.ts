import { article, community, list, media, tweet, user } from '../../model.ts'
import { SAMPLE } from '../../sample/sample.ts'
import type { State } from '../../state/state.ts'
import type { Relation, SocialBundle } from '../provider.ts'
import { saveBundle } from './save-bundle.ts'

/**
 * Stores the sample data, so that a fresh installation has an answer for every endpoint.
 * @returns the number of stored users: 0 if the store already has users.
 */
export async function seedSample(state: State, now: Date): Promise<number> {
  const present = await state.db.selectFrom('social_user').select('id').limit(1).executeTakeFirst()
  if (present) return 0
  const sample = sampleBundle()
  await saveBundle(state, sample, now)
  return sample.users.length
}

function sampleBundle(): SocialBundle {
  return {
    users: SAMPLE.users.map((one) => user.parse(one)),
    tweets: SAMPLE.tweets.map((one) => tweet.parse(one)),
    media: SAMPLE.media.map((one) => media.parse(one)),
    lists: SAMPLE.lists.map((one) => list.parse(one)),
    communities: SAMPLE.communities.map((one) => community.parse(one)),
    articles: SAMPLE.articles.map((one) => article.parse(one)),
    // The file contains only the four kinds; TypeScript infers them as string.
    relations: SAMPLE.relations as Relation[],
  }
}
