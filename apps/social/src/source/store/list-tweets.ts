import type { Tweet } from '../../model.ts'
import type { State } from '../../state/state.ts'
import type { FoundPage, RequestedPage } from '../provider.ts'
import { findIncludes } from './read-bodies.ts'

export type TweetOwner = {
  readonly column: 'author_id' | 'in_reply_to_id' | 'quoted_id' | 'community_id'
  readonly value: string
}

/** Tweets of one owner, newest first; the position is the `seq` of the last one, which no insert shifts. */
export async function listTweets(
  state: State,
  { column, value }: TweetOwner,
  { limit, position }: RequestedPage,
): Promise<FoundPage<Tweet>> {
  let query = state.db
    .selectFrom('social_tweet')
    .select(['seq', 'body'])
    .where(column, '=', value)
    .orderBy('seq', 'desc')
    .limit(limit + 1)
  if (position !== null) query = query.where('seq', '<', Number(position))
  return toTweetPage(state, await query.execute(), limit)
}

/** Converts up to limit + 1 rows to a page. */
export async function toTweetPage(
  state: State,
  rows: readonly { readonly seq: number; readonly body: string }[],
  limit: number,
): Promise<FoundPage<Tweet>> {
  const shown = rows.slice(0, limit)
  // saveBundle validated every tweet before it was stored.
  const data = shown.map(({ body }) => JSON.parse(body) as Tweet)
  const last = shown.at(-1)
  return {
    data,
    includes: await findIncludes(state, data),
    next: rows.length > limit && last ? String(last.seq) : null,
  }
}

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
