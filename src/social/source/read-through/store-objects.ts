import type { Includes } from '../../model/includes.ts'
import type { Asking, SocialOperations } from '../provider.ts'
import { forgetList, forgetTweets, forgetUser } from '../store/forget.ts'
import { findFreshTweets, isFresh, isFreshUser } from './fresh.ts'
import type { ReadThroughOptions } from './read-through-options.ts'
import { writeThrough } from './write-through.ts'

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
    const cached = stored && stored !== 'hosts nothing' ? stored : null
    if (cached && (await isFresh(state, 'social_article', tweetId, sinceMs()))) return cached
    const found = (await there.articleOf?.(tweetId, asking)) ?? null
    if (found === null) await forgetTweets(state, [tweetId])
    if (found === null || found === 'hosts nothing') return found
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
