import { ProblemError } from '../../../http/problem.ts'
import type { SocialUser, Tweet } from '../../model.ts'
import type { ActingUser, Asking, FoundPage, RequestedPage } from '../provider.ts'
import type { TweetQuery } from '../tweet-query.ts'
import { readBodies } from './read-bodies.ts'
import { type SearchPlace, searchTweets } from './search-tweets.ts'

/** A query without filters. */
export const NO_FILTER: TweetQuery = Object.freeze({
  words: [],
  phrase: null,
  anyWords: [],
  noneWords: [],
  hashtags: [],
  from: null,
  to: null,
  mentioning: null,
  lang: null,
  since: null,
  until: null,
  minReplies: null,
  minLikes: null,
  minReposts: null,
})

/**
 * The newest tweets that mention a user by the current username, found by a search with `mentioning`, so that
 * no extra index is needed.
 * @throws ProblemError `not_found` if the user is not stored.
 */
export async function listMentions(
  place: SearchPlace,
  { userId }: ActingUser,
  page: RequestedPage,
  asking: Asking,
): Promise<FoundPage<Tweet>> {
  const [user] = await readBodies<SocialUser>(place.state, 'social_user', [userId])
  if (!user) throw new ProblemError({ code: 'not_found', detail: 'The user of this session is not stored.' })
  return searchTweets(place, { ...NO_FILTER, mentioning: user.username }, page, asking)
}
