import type { State } from '../../../state/state.ts'
import type { Includes, Media, SocialUser, Tweet } from '../../model.ts'
import { readBodies } from './read-bodies.ts'

/**
 * The stored authors, referenced tweets with their authors, and media of tweets, as the X API v2 expands
 * them.
 */
export async function findIncludes(state: State, tweets: readonly Tweet[]): Promise<Includes> {
  const own = new Set(tweets.map(({ id }) => id))
  const referenced = tweets.flatMap(({ referenced_tweets = [] }) => referenced_tweets.map(({ id }) => id))
  const others = await readBodies<Tweet>(
    state,
    'social_tweet',
    unique(referenced).filter((id) => !own.has(id)),
  )
  const all = [...tweets, ...others]
  const people = all.flatMap(({ author_id, in_reply_to_user_id }) => [author_id, in_reply_to_user_id])
  const users = await readBodies<SocialUser>(state, 'social_user', unique(people))
  const keys = all.flatMap(({ attachments }) => attachments?.media_keys ?? [])
  const media = await readBodies<Media>(state, 'social_media', unique(keys))
  return { users, tweets: others, media }
}

function unique(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))]
}
