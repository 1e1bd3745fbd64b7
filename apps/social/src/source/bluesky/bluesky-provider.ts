import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type * as z from 'zod'
import type { SocialUser } from '../../model.ts'
import type { State } from '../../state/state.ts'
import type { Asking, FoundPage, Paged, SocialOperations, SocialProvider } from '../provider.ts'
import { createArticleReader } from './article.ts'
import type { AtKind } from './at-uri.ts'
import { type Bluesky, isHandle, toPageParameters } from './bluesky.ts'
import type { BlueskyClient } from './bluesky-client.ts'
import { createKnownIds } from './known-ids.ts'
import { createPresenter } from './present.ts'
import { findQueryIssues } from './search-query.ts'
import { createSearch } from './search-tweets.ts'
import { toIsoTime, toUser } from './to-user.ts'
import {
  actorsAnswer,
  feedAnswer,
  followersAnswer,
  followsAnswer,
  listAnswer,
  type PostView,
  type ProfileView,
  postsAnswer,
  profileView,
  repostersAnswer,
  threadAnswer,
} from './views.ts'

type ProfilePage = { readonly profiles: readonly ProfileView[]; readonly cursor?: string | undefined }
type Ask = (
  uri: string,
  page: ReturnType<typeof toPageParameters>,
  asking: Asking,
) => Promise<ProfilePage | null>

export type BlueskyProviderOptions = {
  readonly state: State
  readonly client: BlueskyClient
  /** Fetches from the account directory. */
  readonly fetch: SafeFetch
  /** Fetches from the servers of article authors, which are untrusted hosts. */
  readonly fetchOutside: SafeFetch
  /** Base URL of the `did:plc` directory without a trailing slash, such as `https://plc.directory`. */
  readonly plcUrl: string
  /** Epoch milliseconds. */
  readonly nowMs: () => number
}

/**
 * A provider on the public AppView of Bluesky. It has no followers of lists and no communities, and omits
 * operations that need a user's own account.
 */
export function createBlueskyProvider(options: BlueskyProviderOptions): SocialProvider {
  const { state, client, fetch, fetchOutside, plcUrl, nowMs } = options
  const known = createKnownIds(state)
  const present = createPresenter({ client, known })
  const bluesky: Bluesky = { client, known, present }
  return {
    name: 'bluesky',
    pauseSeconds: () => Math.ceil(client.pausedMs() / 1000),
    searchIssues: { tweets: findQueryIssues },
    operations: {
      async tweetById(id, asking) {
        const uri = await known.findOne('tweet', id)
        const posts = uri === null ? [] : await present.findPosts([uri], asking)
        const { data, includes } = await present.tweets(posts, asking)
        return data[0] ? { data: data[0], includes } : null
      },
      async tweetsByIds(ids, asking) {
        const uris = await known.find('tweet', ids)
        const posts = await present.findPosts([...uris.values()], asking)
        const { data, includes } = await present.tweets(posts, asking)
        const found = new Map(data.map((tweet) => [tweet.id, tweet]))
        return {
          data: ids.flatMap((id) => found.get(id) ?? []),
          missing: ids.filter((id) => !found.has(id)),
          includes,
        }
      },
      searchTweets: createSearch(bluesky),
      ...listTweets(bluesky),
      repliesTo: listReplies(bluesky),
      async userByUsername(username, asking) {
        if (!isHandle(username)) return null
        const requested = { method: 'app.bsky.actor.getProfile', parameters: { actor: username } }
        const profile = await client.ask({ ...requested, answer: profileView }, asking.signal)
        return profile && known.give((idOf) => toUser(profile, idOf))
      },
      ...listUsers(bluesky),
      async listById(id, asking) {
        const list = await known.findOne('list', id)
        if (list === null) return null
        const requested = { method: 'app.bsky.graph.getList', parameters: { list, limit: 1 } }
        const found = await client.ask({ ...requested, answer: listAnswer }, asking.signal)
        return found && present.list(found.list, asking)
      },
      articleOf: createArticleReader({ client, known, present, fetch, fetchOutside, plcUrl, nowMs }),
    },
  }
}

/**
 * The direct replies to a post, newest first. The AppView returns them all at once, in its own order, so they
 * are sorted and paginated here: a position is that of the last reply of the page.
 */
function listReplies({ client, known, present }: Bluesky): SocialOperations['repliesTo'] {
  return async (id, { limit, position }, asking) => {
    const uri = await known.findOne('tweet', id)
    if (uri === null) return null
    const parameters = { uri, depth: 1, parentHeight: 0 }
    const requested = { method: 'app.bsky.feed.getPostThread', parameters, answer: threadAnswer }
    const thread = (await client.ask(requested, asking.signal))?.thread
    if (!thread?.post) return null
    const replies = (thread.replies ?? [])
      .flatMap(({ post }) => post ?? [])
      .map((post) => ({ post, place: placeOf(post) }))
      .sort((one, other) => (one.place < other.place ? 1 : -1))
      .filter(({ place }) => position === null || place < position)
    const page = replies.slice(0, limit)
    const next = replies.length > limit ? (page.at(-1)?.place ?? null) : null
    const posts = page.map(({ post }) => post)
    return { ...(await present.tweets(posts, asking, [thread.post])), next }
  }
}

function placeOf({ record, indexedAt, uri }: PostView): string {
  return `${toIsoTime(record.createdAt) ?? indexedAt} ${uri}`
}

/** The lists of posts that the AppView paginates itself, newest first. */
function listTweets({
  client,
  known,
  present,
}: Bluesky): Pick<SocialOperations, 'tweetsOfUser' | 'quotesOf' | 'tweetsOfList'> {
  return {
    async tweetsOfUser(username, page, asking) {
      if (!isHandle(username)) return null
      const parameters = { actor: username, filter: 'posts_with_replies', ...toPageParameters(page) }
      const requested = { method: 'app.bsky.feed.getAuthorFeed', parameters, answer: feedAnswer }
      const found = await client.ask(requested, asking.signal)
      return found && toPage(found, asking)
    },
    async quotesOf(id, page, asking) {
      const uri = await known.findOne('tweet', id)
      if (uri === null) return null
      const requested = { method: 'app.bsky.feed.getQuotes', parameters: { uri, ...toPageParameters(page) } }
      const found = await client.ask({ ...requested, answer: postsAnswer }, asking.signal)
      if (!found) return null
      // The list of a deleted post is empty as well.
      const isEmpty = found.posts.length === 0 && page.position === null
      if (isEmpty && (await present.findPosts([uri], asking)).length === 0) return null
      return { ...(await present.tweets(found.posts, asking)), next: found.cursor ?? null }
    },
    async tweetsOfList(id, page, asking) {
      const list = await known.findOne('list', id)
      if (list === null) return null
      const requested = {
        method: 'app.bsky.feed.getListFeed',
        parameters: { list, ...toPageParameters(page) },
      }
      const found = await client.ask({ ...requested, answer: feedAnswer }, asking.signal)
      return found && toPage(found, asking)
    },
  }

  /** Unlike on X, a repost is not a post of its own here, so posts by other authors are omitted. */
  async function toPage({ feed, cursor }: z.output<typeof feedAnswer>, asking: Asking) {
    const own = feed.filter(({ reason }) => reason?.$type !== 'app.bsky.feed.defs#reasonRepost')
    const parents = own.flatMap(({ reply }) => reply?.parent ?? [])
    const posts = own.map(({ post }) => post)
    return { ...(await present.tweets(posts, asking, parents)), next: cursor ?? null }
  }
}

/** The lists of users, each in the AppView's order: newest relation first. */
function listUsers({
  client,
  known,
  present,
}: Bluesky): Pick<
  SocialOperations,
  'repostersOf' | 'searchUsers' | 'followersOf' | 'followedBy' | 'membersOfList'
> {
  return {
    repostersOf: usersOf('tweet', async (uri, page, asking) => {
      const requested = { method: 'app.bsky.feed.getRepostedBy', parameters: { uri, ...page } }
      const found = await client.ask({ ...requested, answer: repostersAnswer }, asking.signal)
      if (!found) return null
      // The list of a deleted post is empty as well.
      const isEmpty = found.repostedBy.length === 0 && page.cursor === undefined
      if (isEmpty && (await present.findPosts([uri], asking)).length === 0) return null
      return { profiles: found.repostedBy, cursor: found.cursor }
    }),
    async searchUsers(q, page, asking) {
      const requested = {
        method: 'app.bsky.actor.searchActors',
        parameters: { q, ...toPageParameters(page) },
      }
      const found = await client.ask({ ...requested, answer: actorsAnswer }, asking.signal)
      return toPage({ profiles: found?.actors ?? [], cursor: found?.cursor }, asking)
    },
    followersOf: usersOf('user', async (actor, page, { signal }) => {
      const requested = { method: 'app.bsky.graph.getFollowers', parameters: { actor, ...page } }
      const found = await client.ask({ ...requested, answer: followersAnswer }, signal)
      return found && { profiles: found.followers, cursor: found.cursor }
    }),
    followedBy: usersOf('user', async (actor, page, { signal }) => {
      const requested = { method: 'app.bsky.graph.getFollows', parameters: { actor, ...page } }
      const found = await client.ask({ ...requested, answer: followsAnswer }, signal)
      return found && { profiles: found.follows, cursor: found.cursor }
    }),
    membersOfList: usersOf('list', async (list, page, { signal }) => {
      const requested = { method: 'app.bsky.graph.getList', parameters: { list, ...page } }
      const found = await client.ask({ ...requested, answer: listAnswer }, signal)
      return found && { profiles: found.items.map(({ subject }) => subject), cursor: found.cursor }
    }),
  }

  function usersOf(kind: AtKind, ask: Ask): Paged<SocialUser> {
    return async (id, page, asking) => {
      const uri = await known.findOne(kind, id)
      const found = uri === null ? null : await ask(uri, toPageParameters(page), asking)
      return found && toPage(found, asking)
    }
  }

  async function toPage({ profiles, cursor }: ProfilePage, asking: Asking): Promise<FoundPage<SocialUser>> {
    return { data: await present.users(profiles, asking), includes: {}, next: cursor ?? null }
  }
}
