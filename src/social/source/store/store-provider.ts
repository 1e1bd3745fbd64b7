import type { State } from '../../../state/state.ts'
import type { Tweet } from '../../model/tweet.ts'
import type { SocialUser } from '../../model/user.ts'
import type { SocialProvider } from '../provider.ts'
import { findIncludes } from './find-includes.ts'
import { listTweets } from './list-tweets.ts'
import { readBodies } from './read-bodies.ts'

/** Answers from the state store, with what was imported or fetched before. */
export function createStoreProvider(state: State): SocialProvider {
  return {
    name: 'store',
    operations: {
      async tweetById(id) {
        const [data] = await readBodies<Tweet>(state, 'social_tweet', [id])
        return data ? { data, includes: await findIncludes(state, [data]) } : null
      },
      async repliesTo(id, page) {
        const [parent] = await readBodies<Tweet>(state, 'social_tweet', [id])
        return parent ? listTweets(state, { column: 'in_reply_to_id', value: id }, page) : null
      },
      async userByUsername(username) {
        const found = await state.db
          .selectFrom('social_user')
          .select('body')
          .where('username_key', '=', username.toLowerCase())
          .executeTakeFirst()
        // saveBundle has parsed every user before it was stored.
        return found ? (JSON.parse(found.body) as SocialUser) : null
      },
    },
  }
}
