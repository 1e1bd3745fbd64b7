import type { Emptiness } from '@tollbook/endpoints/endpoint'
import type { Includes, SocialUser, Tweet } from '../model.ts'
import type { AnsweredTweet, TweetPage, UserPage } from './envelope.ts'

/** Adds its author to each tweet, from the includes of the answer. */
export function withAuthors(tweets: readonly Tweet[], includes: Includes): AnsweredTweet[] {
  const byId = new Map(includes.users?.map((user) => [user.id, user]))
  return tweets.map((tweet) => {
    const author = tweet.author_id === undefined ? undefined : byId.get(tweet.author_id)
    return author ? { ...tweet, author } : tweet
  })
}

/** The includes of an answer without empty lists; undefined if all are empty. */
export function includesOf(includes: Includes): { readonly includes?: Includes } {
  const filled: Record<string, unknown> = {}
  let isEmpty = true
  for (const [name, list] of Object.entries(includes)) {
    if (Array.isArray(list) && list.length === 0) continue
    filled[name] = list
    isEmpty = false
  }
  return isEmpty ? {} : { includes: filled as Includes }
}

/** A page of a list with the token for the next one; null at the end. */
export type Page<Item> = {
  readonly data: readonly Item[]
  readonly includes: Includes
  readonly nextToken: string | null
}

/** A page of tweets in its answer format. */
export function composeTweetPage({ data, includes, nextToken }: Page<Tweet>): TweetPage {
  const ids = data.map(({ id }) => BigInt(id)).sort((a, b) => (a < b ? 1 : -1))
  return {
    data: withAuthors(data, includes),
    ...includesOf(includes),
    meta: {
      result_count: data.length,
      ...(ids.length > 0 && { newest_id: String(ids[0]), oldest_id: String(ids.at(-1)) }),
      ...(nextToken !== null && { next_token: nextToken }),
    },
  }
}

/**
 * Why a page is of no use; null if it has an object. Upstreams also return empty pages before the end of a list, so
 * that the refusal has the token.
 */
export function findEmptyPage({ data, meta }: TweetPage | UserPage): Emptiness | null {
  if (data.length > 0) return null
  const { next_token } = meta
  if (next_token === undefined) return { detail: 'Nothing was found.' }
  return { detail: 'This page is empty; continue with next_token.', members: { next_token } }
}

/** A page of users in its answer format. */
export function composeUserPage({ data, includes, nextToken }: Page<SocialUser>): UserPage {
  const meta = { result_count: data.length, ...(nextToken !== null && { next_token: nextToken }) }
  return { data: [...data], ...includesOf(includes), meta }
}
