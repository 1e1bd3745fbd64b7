import { ProblemError } from '@tollbook/http/problem'
import { sql } from 'kysely'
import { stageImage } from '../../image/image-store.ts'
import type { Article, SocialList, SocialUser, Tweet } from '../../model.ts'
import type { State } from '../../state/state.ts'
import { toPhrase } from '../../text/tokens.ts'
import {
  type ActingUser,
  type Asking,
  type Found,
  type FoundPage,
  NO_ARTICLE,
  type Paged,
  type RelationKind,
  type RequestedPage,
  type SocialProvider,
  type TweetQuery,
} from '../provider.ts'
import { listMemberTweets, listTweets, type TweetOwner } from './list-tweets.ts'
import { findIncludes, findUser, isStored, readBodies, type Stored } from './read-bodies.ts'
import { readRows, type SearchPlace, searchTweets } from './search-tweets.ts'

type Row = { readonly rank: number; readonly body: string }

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

type Asked = {
  readonly kind: RelationKind
  /** The end of the relation that the id is at: relations that lead to it, or relations that start from it. */
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
        if (!data) return (await isStored(state, 'social_tweet', tweetId)) ? NO_ARTICLE : null
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

/**
 * The newest tweets that mention a user by the current username, found by a search with `mentioning`, so that
 * no extra index is needed.
 * @throws ProblemError `not_found` if the user is not stored.
 */
async function listMentions(
  place: SearchPlace,
  { userId }: ActingUser,
  page: RequestedPage,
  asking: Asking,
): Promise<FoundPage<Tweet>> {
  const [user] = await readBodies<SocialUser>(place.state, 'social_user', [userId])
  if (!user) throw new ProblemError({ code: 'not_found', detail: 'The user of this session is not stored.' })
  return searchTweets(place, { ...NO_FILTER, mentioning: user.username }, page, asking)
}

/**
 * Users whose username, name or description contains every word, those with the most followers first; a user
 * whose username equals the query comes before them. The position is the rank of the last one.
 */
async function searchUsers(
  { state, workers }: SearchPlace,
  query: string,
  { limit, position }: RequestedPage,
  { signal }: Asking,
): Promise<FoundPage<SocialUser>> {
  const phrases = query.split(/\s+/).flatMap((word) => toPhrase(word) ?? [])
  if (phrases.length === 0) return { data: [], includes: {}, next: null }
  const before = position === null ? [] : [sql`social_user.rank < ${Number(position)}`]
  const rows = await select()
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const named = await findUser(state, query.trim().replace(/^@/, ''))
  // The stored body was validated earlier.
  const found = shown.map(({ body }) => JSON.parse(body) as SocialUser).filter(({ id }) => id !== named?.id)
  return {
    data: named && position === null ? [named, ...found] : found,
    includes: {},
    next: rows.length > limit && last ? String(last.rank) : null,
  }

  async function select(): Promise<readonly Row[]> {
    if (state.file === null) {
      const wanted = phrases.map(
        ({ tokens, isOpen }) =>
          `(${tokens.map((token, at) => `'${token}'${isOpen && at === tokens.length - 1 ? ':*' : ''}`).join(' <-> ')})`,
      )
      const conditions = sql.join([sql`words @@ ${wanted.join(' & ')}::tsquery`, ...before], sql` and `)
      const { rows } = await sql<Row>`select rank, body from social_user where ${conditions}
        order by rank desc limit ${limit + 1}`.execute(state.db)
      return rows
    }
    const match = phrases
      .map(({ tokens, isOpen }) => `"${tokens.join(' ')}"${isOpen ? ' *' : ''}`)
      .join(' AND ')
    const bounds = position === null ? sql`1 = 1` : sql`found.rowid < ${Number(position)}`
    const compiled = sql<Row>`select social_user.rank, social_user.body from social_user_words as found
      join social_user on social_user.rank = found.rowid
      where found.social_user_words match ${match} and ${bounds}
      order by found.rowid desc limit ${limit + 1}`.compile(state.db)
    const { sql: text, parameters } = compiled
    const values = await workers.run(readRows, { file: state.file, sql: text, parameters }, signal)
    return values.map(([rank, body]) => ({ rank: Number(rank), body: String(body) }))
  }
}
