import type { State } from '../../../state/state.ts'
import type { Tweet } from '../../model/tweet.ts'
import type { FoundPage, RequestedPage } from '../provider.ts'
import { toTweetPage } from './list-tweets.ts'

/** The tweets of a List's members, newest first. */
export async function listMemberTweets(
  state: State,
  listId: string,
  page: RequestedPage,
): Promise<FoundPage<Tweet>> {
  const members = state.db
    .selectFrom('social_relation')
    .select('from_id')
    .where('kind', '=', 'list_member')
    .where('to_id', '=', listId)
  let query = state.db
    .selectFrom('social_tweet')
    .select(['seq', 'body'])
    .where('author_id', 'in', members)
    .orderBy('seq', 'desc')
    .limit(page.limit + 1)
  if (page.position !== null) query = query.where('seq', '<', Number(page.position))
  return toTweetPage(state, await query.execute(), page.limit)
}
