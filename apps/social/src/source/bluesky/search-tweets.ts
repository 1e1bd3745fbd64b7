import { ProblemError } from '@tollbook/http/problem'
import type { Includes, Media, SocialUser, Tweet } from '../../model.ts'
import type { FoundPage, SocialOperations } from '../provider.ts'
import { type Bluesky, isHandle } from './bluesky.ts'
import { findQueryIssues, isFit, toParameters } from './search-query.ts'
import { postsAnswer, profileView } from './views.ts'

/** Maximum number of AppView pages read for one page of ours, if only some of their posts match. */
const MAX_PAGES = 4

const EMPTY: FoundPage<Tweet> = Object.freeze({ data: [], includes: {}, next: null })

/**
 * Posts by the AppView's search, newest first; unsupported filters are applied afterwards, so a page may be
 * short or empty although more follow.
 */
export function createSearch({ client, known, present }: Bluesky): SocialOperations['searchTweets'] {
  return async (query, { limit, position }, asking) => {
    const issues = findQueryIssues(query)
    if (issues.length > 0)
      throw new ProblemError({ code: 'invalid_request', detail: 'Bluesky cannot search for this.', issues })
    // No account can have such a name there, and the AppView would reject the request as malformed.
    if ([query.from, query.to, query.mentioning].some((name) => name !== null && !isHandle(name)))
      return EMPTY
    const toId = query.to === null ? null : await idOf(query.to, asking.signal)
    if (query.to !== null && toId === null) return EMPTY

    const data: Tweet[] = []
    const users: SocialUser[] = []
    const others: Tweet[] = []
    const media: Media[] = []
    let next = position
    for (let page = 0; page < MAX_PAGES && data.length < limit; page += 1) {
      const wanted = {
        ...toParameters(query),
        limit: limit - data.length,
        ...(next !== null && { cursor: next }),
      }
      const requested = { method: 'app.bsky.feed.searchPosts', parameters: wanted, answer: postsAnswer }
      const found = await client.ask(requested, asking.signal)
      const presented = await present.tweets(found?.posts ?? [], asking)
      // New posts shift the AppView's pages, so a post may appear twice.
      const gathered = new Set(data.map(({ id }) => id))
      data.push(...presented.data.filter((tweet) => !gathered.has(tweet.id) && isFit(tweet, query, toId)))
      users.push(...(presented.includes.users ?? []))
      others.push(...(presented.includes.tweets ?? []))
      media.push(...(presented.includes.media ?? []))
      next = found?.cursor ?? null
      if (next === null) break
    }
    return { data, includes: onlyReferred(data, { users, tweets: others, media }), next }
  }

  async function idOf(username: string, signal: AbortSignal): Promise<string | null> {
    const parameters = { actor: username }
    const requested = { method: 'app.bsky.actor.getProfile', parameters, answer: profileView }
    const profile = await client.ask(requested, signal)
    return profile && known.give((id) => id(profile.did))
  }
}

/** The includes of the matching tweets, without duplicates; those of other tweets are removed. */
function onlyReferred(data: readonly Tweet[], includes: Includes): Includes {
  const ids = new Set(data.flatMap(({ referenced_tweets = [] }) => referenced_tweets.map(({ id }) => id)))
  const tweets = [...new Map(includes.tweets?.map((one) => [one.id, one])).values()].filter(({ id }) =>
    ids.has(id),
  )
  const all = [...data, ...tweets]
  const authors = new Set(all.map(({ author_id }) => author_id))
  const keys = new Set(all.flatMap(({ attachments }) => attachments?.media_keys ?? []))
  const users = new Map(includes.users?.filter(({ id }) => authors.has(id)).map((one) => [one.id, one]))
  const media = new Map(
    includes.media?.filter(({ media_key }) => keys.has(media_key)).map((one) => [one.media_key, one]),
  )
  return { users: [...users.values()], tweets, media: [...media.values()] }
}
