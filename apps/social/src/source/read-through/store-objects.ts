import type { Includes } from '../../model.ts'
import type { State } from '../../state/state.ts'
import type { Asking, SocialOperations, SocialProvider } from '../provider.ts'
import { forgetList, forgetTweets, forgetUser } from '../store/forget.ts'
import { writeThrough } from './write-through.ts'

export type ReadThroughOptions = {
  readonly state: State
  /** Reads from that state. */
  readonly store: SocialProvider
  readonly upstream: SocialProvider
  readonly now: () => Date
  /** How long an object is served from the store, ms. */
  readonly objectMs: number
  /** How long a page of the upstream is cached, ms; 0 disables the cache. */
  readonly pageMs: number
}

/** Single objects and batches: fresh ones from the store, others from the upstream, which are then stored. */
export function storeObjects({
  state,
  store,
  upstream,
  now,
  objectMs,
}: ReadThroughOptions): Partial<SocialOperations> {
  const here = store.operations
  const there = upstream.operations
  const sinceMs = () => now().getTime() - objectMs
  return {
    ...(there.tweetById && {
      async tweetById(id, asking) {
        if ((await findFreshTweets(state, [id], sinceMs())).has(id)) {
          const cached = await here.tweetById?.(id, asking)
          if (cached) return cached
        }
        const found = (await there.tweetById?.(id, asking)) ?? null
        if (found) await writeThrough(state, { tweets: [found.data] }, found.includes, now())
        else await forgetTweets(state, [id])
        return found
      },
    }),
    ...(there.tweetsByIds && { tweetsByIds }),
    ...(there.userByUsername && {
      async userByUsername(username, asking) {
        if (await isFreshUser(state, username, sinceMs())) {
          const cached = await here.userByUsername?.(username, asking)
          if (cached) return cached
        }
        const found = (await there.userByUsername?.(username, asking)) ?? null
        if (found) await writeThrough(state, { users: [found] }, {}, now())
        else await forgetUser(state, { username })
        return found
      },
    }),
    ...(there.listById && {
      async listById(id, asking) {
        if (await isFresh(state, 'social_list', id, sinceMs())) {
          const cached = await here.listById?.(id, asking)
          if (cached) return cached
        }
        const found = (await there.listById?.(id, asking)) ?? null
        if (found) await writeThrough(state, { lists: [found.data] }, found.includes, now())
        else await forgetList(state, id)
        return found
      },
    }),
    ...(there.articleOf && { articleOf }),
  }

  async function tweetsByIds(ids: readonly string[], asking: Asking) {
    const fresh = await findFreshTweets(state, ids, sinceMs())
    const cached = await here.tweetsByIds?.([...fresh], asking)
    const known = new Map(cached?.data.map((tweet) => [tweet.id, tweet]))
    const unknown = ids.filter((id) => !known.has(id))
    const found = unknown.length > 0 ? await there.tweetsByIds?.(unknown, asking) : undefined
    if (found) {
      await writeThrough(state, { tweets: found.data }, found.includes, now())
      await forgetTweets(state, found.missing)
      for (const tweet of found.data) known.set(tweet.id, tweet)
    }
    return {
      data: ids.flatMap((id) => known.get(id) ?? []),
      missing: ids.filter((id) => !known.has(id)),
      includes: joinIncludes(cached?.includes ?? {}, found?.includes ?? {}),
    }
  }

  /** An imported article may have formatting; an upstream with plain paragraphs does not replace it. */
  async function articleOf(tweetId: string, asking: Asking) {
    const stored = await here.articleOf?.(tweetId, asking)
    const cached = stored && 'data' in stored ? stored : null
    if (cached && (await isFresh(state, 'social_article', tweetId, sinceMs()))) return cached
    const found = (await there.articleOf?.(tweetId, asking)) ?? null
    if (found === null) await forgetTweets(state, [tweetId])
    if (found === null || 'kind' in found) return found
    const isPoorer = cached?.data.content_format === 'rich' && found.data.content_format === 'plain'
    const data = cached && isPoorer ? cached.data : found.data
    await writeThrough(state, { articles: [data] }, found.includes, now())
    return { data, includes: found.includes }
  }
}

function joinIncludes(one: Includes, other: Includes): Includes {
  return {
    users: unique([...(one.users ?? []), ...(other.users ?? [])], ({ id }) => id),
    tweets: unique([...(one.tweets ?? []), ...(other.tweets ?? [])], ({ id }) => id),
    media: unique([...(one.media ?? []), ...(other.media ?? [])], ({ media_key }) => media_key),
  }
}

/** Removes duplicates; the last one wins. */
function unique<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()]
}

/** The tweets among these that were fetched since then and whose authors are stored as well. */
async function findFreshTweets(
  state: State,
  ids: readonly string[],
  sinceMs: number,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await state.db
    .selectFrom('social_tweet')
    .leftJoin('social_user', 'social_user.id', 'social_tweet.author_id')
    .select('social_tweet.id')
    .where('social_tweet.id', 'in', ids)
    .where('social_tweet.fetched_at', '>=', sinceMs)
    .where('social_user.id', 'is not', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Whether the user of that name (case-insensitive) was fetched since then. */
async function isFreshUser(state: State, username: string, sinceMs: number): Promise<boolean> {
  const row = await state.db
    .selectFrom('social_user')
    .select('id')
    .where('username_key', '=', username.toLowerCase())
    .where('fetched_at', '>=', sinceMs)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a List, or the article of a tweet, was fetched since then. */
async function isFresh(
  state: State,
  table: 'social_list' | 'social_article',
  id: string,
  sinceMs: number,
): Promise<boolean> {
  const row = await state.db
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .where('fetched_at', '>=', sinceMs)
    .executeTakeFirst()
  return row !== undefined
}
