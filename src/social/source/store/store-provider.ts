import { stageImage } from '../../image/image-store.ts'
import type { Article } from '../../model/article.ts'
import type { SocialList } from '../../model/list.ts'
import type { Tweet } from '../../model/tweet.ts'
import type { SocialUser } from '../../model/user.ts'
import type { Paged, SocialProvider } from '../provider.ts'
import type { RelationKind } from '../social-bundle.ts'
import { findIncludes } from './find-includes.ts'
import { findTweet } from './find-tweet.ts'
import { findUser } from './find-user.ts'
import { listMemberTweets } from './list-member-tweets.ts'
import { listMentions } from './list-mentions.ts'
import { listRelatedUsers } from './list-related.ts'
import { listTweets, type TweetOwner } from './list-tweets.ts'
import { isStored, readBodies, type Stored } from './read-bodies.ts'
import { type SearchPlace, searchTweets } from './search-tweets.ts'
import { searchUsers } from './search-users.ts'

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
