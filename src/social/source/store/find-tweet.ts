import type { State } from '../../../state/state.ts'
import type { Tweet } from '../../model/tweet.ts'
import type { SocialUser } from '../../model/user.ts'
import type { Found } from '../provider.ts'
import { findIncludes } from './find-includes.ts'

/**
 * A tweet by its id with all objects it refers to; its author, which nearly every tweet has, is part of the
 * same query.
 */
export async function findTweet(state: State, id: string): Promise<Found<Tweet> | null> {
  const read = state.prepare('social_tweet by id with its author', (db) =>
    db
      .selectFrom('social_tweet')
      .leftJoin('social_user', 'social_user.id', 'social_tweet.author_id')
      .select(['social_tweet.body', 'social_user.body as author'])
      .where('social_tweet.id', '=', ''),
  )
  const [row] = await read([id])
  if (!row) return null
  // saveBundle validated every object before it was stored.
  const data = JSON.parse(row.body) as Tweet
  if (refersToMore(data)) return { data, includes: await findIncludes(state, [data]) }
  const users = row.author === null ? [] : [JSON.parse(row.author) as SocialUser]
  return { data, includes: { users, tweets: [], media: [] } }
}

/** Whether a tweet refers to objects other than its author. */
function refersToMore({ referenced_tweets, in_reply_to_user_id, attachments }: Tweet): boolean {
  return Boolean(referenced_tweets?.length || in_reply_to_user_id || attachments)
}
