import type { State } from '../../../state/state.ts'
import { stageImage } from '../../image/image-store.ts'
import type { Article, SocialList, SocialUser, Tweet } from '../../model.ts'
import type { Found, FoundPage, Paged, RequestedPage, SocialProvider } from '../provider.ts'
import type { RelationKind } from '../social-bundle.ts'
import { findIncludes } from './find-includes.ts'
import { findUser } from './find-user.ts'
import { listMentions } from './list-mentions.ts'
import { listMemberTweets, listTweets, type TweetOwner } from './list-tweets.ts'
import { isStored, readBodies, type Stored } from './read-bodies.ts'
import { type SearchPlace, searchTweets } from './search-tweets.ts'
import { searchUsers } from './search-users.ts'

type Asked = {
  readonly kind: RelationKind
  /**
   * The end of the relation that the id is at: relations that lead to it, or relations that start from it.
   */
  readonly end: 'to' | 'from'
  readonly id: string
}

/** A provider on the state store, with the data that was imported or fetched before. */
export function createStoreProvider(
  place: SearchPlace,
  clock: () => Date = () => new Date(),
): SocialProvider {
  const { state } = place
  const tweetsBy =
    (of: Stored, column: TweetOwner['column']): Paged<Tweet> =>
    async (id, page) =>
      (await isStored(state, of, id)) ? listTweets(state, { column, value: id }, page) : null
  const usersBy =
    (of: Stored, kind: RelationKind, end: 'to' | 'from' = 'to'): Paged<SocialUser> =>
    async (id, page) =>
      (await isStored(state, of, id)) ? listRelatedUsers(state, { kind, end, id }, page) : null
  return {
    name: 'store',
    operations: {
      tweetById: (id) => findTweet(state, id),
      async tweetsByIds(ids) {
        const data = await readBodies<Tweet>(state, 'social_tweet', ids)
        const found = new Set(data.map(({ id }) => id))
        const missing = ids.filter((id) => !found.has(id))
        return { data, missing, includes: await findIncludes(state, data) }
      },
      searchTweets: (query, page, asking) => searchTweets(place, query, page, asking),
      searchUsers: (query, page, asking) => searchUsers(place, query, page, asking),
      async tweetsOfUser(username, page) {
        const user = await findUser(state, username)
        return user ? listTweets(state, { column: 'author_id', value: user.id }, page) : null
      },
      mentions: (user, page, asking) => listMentions(place, user, page, asking),
      uploadMedia: async ({ userId }, file, asking) => ({
        mediaId: await stageImage({ state, ...asking }, { userId, file, now: clock() }),
      }),
      repliesTo: tweetsBy('social_tweet', 'in_reply_to_id'),
      quotesOf: tweetsBy('social_tweet', 'quoted_id'),
      repostersOf: usersBy('social_tweet', 'repost'),
      userByUsername: (username) => findUser(state, username),
      followersOf: usersBy('social_user', 'follow'),
      followedBy: usersBy('social_user', 'follow', 'from'),
      async listById(id) {
        const [data] = await readBodies<SocialList>(state, 'social_list', [id])
        if (!data) return null
        const owners = data.owner_id === undefined ? [] : [data.owner_id]
        return { data, includes: { users: await readBodies<SocialUser>(state, 'social_user', owners) } }
      },
      tweetsOfList: async (id, page) =>
        (await isStored(state, 'social_list', id)) ? listMemberTweets(state, id, page) : null,
      membersOfList: usersBy('social_list', 'list_member'),
      followersOfList: usersBy('social_list', 'list_follower'),
      async articleOf(tweetId) {
        const [data] = await readBodies<Article>(state, 'social_article', [tweetId])
        if (!data) return (await isStored(state, 'social_tweet', tweetId)) ? 'hosts nothing' : null
        const authors = data.author_id === undefined ? [] : [data.author_id]
        return { data, includes: { users: await readBodies<SocialUser>(state, 'social_user', authors) } }
      },
      tweetsOfCommunity: tweetsBy('social_community', 'community_id'),
    },
  }
}

/**
 * Related users, newest first. Users that are not stored are omitted, so a page may be short; the position is
 * that of the last relation read.
 */
async function listRelatedUsers(
  state: State,
  { kind, end, id }: Asked,
  { limit, position }: RequestedPage,
): Promise<FoundPage<SocialUser>> {
  const [own, other] = end === 'to' ? (['to_id', 'from_id'] as const) : (['from_id', 'to_id'] as const)
  let query = state.db
    .selectFrom('social_relation')
    .select([other, 'pos'])
    .where('kind', '=', kind)
    .where(own, '=', id)
    .orderBy('pos', 'desc')
    .limit(limit + 1)
  if (position !== null) query = query.where('pos', '<', Number(position))
  const rows = await query.execute()
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const ids = shown.map((row) => row[other] ?? '')
  return {
    data: await readBodies<SocialUser>(state, 'social_user', ids),
    includes: {},
    next: rows.length > limit && last ? String(last.pos) : null,
  }
}

/**
 * A tweet by its id with all objects it refers to; its author, which nearly every tweet has, is part of the
 * same query.
 */
async function findTweet(state: State, id: string): Promise<Found<Tweet> | null> {
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
