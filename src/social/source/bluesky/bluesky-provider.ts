import type { SafeFetch } from '../../../fetching/safe-fetch.ts'
import type { State } from '../../../state/state.ts'
import type { SocialProvider } from '../provider.ts'
import { createArticleReader } from './article.ts'
import { type Bluesky, isHandle } from './bluesky.ts'
import type { BlueskyClient } from './bluesky-client.ts'
import { createKnownIds } from './known-ids.ts'
import { listReplies } from './list-replies.ts'
import { listTweets } from './list-tweets.ts'
import { listUsers } from './list-users.ts'
import { createPresenter } from './present.ts'
import { findQueryFaults } from './search-query.ts'
import { createSearch } from './search-tweets.ts'
import { toUser } from './to-user.ts'
import { listAnswer, profileView } from './views.ts'

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
export function createBlueskyProvider({
  state,
  client,
  ...elsewhere
}: BlueskyProviderOptions): SocialProvider {
  const known = createKnownIds(state)
  const present = createPresenter({ client, known })
  const bluesky: Bluesky = { client, known, present }
  return {
    name: 'bluesky',
    pauseSeconds: () => Math.ceil(client.pausedMs() / 1000),
    searchFaults: { tweets: findQueryFaults },
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
        const asked = { method: 'app.bsky.actor.getProfile', parameters: { actor: username } }
        const profile = await client.ask({ ...asked, answer: profileView }, asking.signal)
        return profile && known.give((idOf) => toUser(profile, idOf))
      },
      ...listUsers(bluesky),
      async listById(id, asking) {
        const list = await known.findOne('list', id)
        if (list === null) return null
        const asked = { method: 'app.bsky.graph.getList', parameters: { list, limit: 1 } }
        const found = await client.ask({ ...asked, answer: listAnswer }, asking.signal)
        return found && present.list(found.list, asking)
      },
      articleOf: createArticleReader({ ...bluesky, ...elsewhere }),
    },
  }
}
