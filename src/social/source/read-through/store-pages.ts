import { createHash } from 'node:crypto'
import { ProblemError } from '../../../http/problem.ts'
import type { SocialUser, Tweet } from '../../model.ts'
import type { Asking, FoundPage, RequestedPage, SocialOperation, SocialOperations } from '../provider.ts'
import { findIncludes } from '../store/find-includes.ts'
import { forgetList, forgetTweets, forgetUser } from '../store/forget.ts'
import { readBodies } from '../store/read-bodies.ts'
import type { ReadThroughOptions } from './store-objects.ts'
import { writeThrough } from './write-through.ts'

/** Reads a page of objects that belong to an id, a name, a query or the calling user. */
type AskPage<What, Answer> = (what: What, page: RequestedPage, asking: Asking) => Promise<Answer>

/**
 * Caches the pages of an upstream. The store may hold only a part of a list, so it never builds a page itself: for
 * `pageMs` it repeats the upstream's page, with the current state of its objects.
 */
export function storePages(options: ReadThroughOptions): Partial<SocialOperations> {
  const { state, upstream } = options
  const there = upstream.operations
  const forgetTweet = (id: string) => forgetTweets(state, [id])
  const forgetOwner = (id: string) => forgetUser(state, { id })
  const forgetMembers = (id: string) => forgetList(state, id)
  return {
    ...(there.searchTweets && { searchTweets: tweets('searchTweets', there.searchTweets) }),
    ...(there.tweetsOfUser && {
      tweetsOfUser: tweets('tweetsOfUser', there.tweetsOfUser, (username) => forgetUser(state, { username })),
    }),
    ...(there.repliesTo && { repliesTo: tweets('repliesTo', there.repliesTo, forgetTweet) }),
    ...(there.quotesOf && { quotesOf: tweets('quotesOf', there.quotesOf, forgetTweet) }),
    ...(there.repostersOf && { repostersOf: users('repostersOf', there.repostersOf, forgetTweet) }),
    ...(there.searchUsers && { searchUsers: users('searchUsers', there.searchUsers) }),
    ...(there.followersOf && { followersOf: users('followersOf', there.followersOf, forgetOwner) }),
    ...(there.followedBy && { followedBy: users('followedBy', there.followedBy, forgetOwner) }),
    ...(there.tweetsOfList && { tweetsOfList: tweets('tweetsOfList', there.tweetsOfList, forgetMembers) }),
    ...(there.membersOfList && { membersOfList: users('membersOfList', there.membersOfList, forgetMembers) }),
    ...(there.followersOfList && {
      followersOfList: users('followersOfList', there.followersOfList, forgetMembers),
    }),
    ...(there.tweetsOfCommunity && {
      tweetsOfCommunity: tweets('tweetsOfCommunity', there.tweetsOfCommunity),
    }),
  }

  function tweets<What, Answer extends FoundPage<Tweet> | null>(
    operation: SocialOperation,
    ask: AskPage<What, Answer>,
    forget?: (what: What) => Promise<void>,
  ): AskPage<What, Answer> {
    return cachedPage<Tweet, What, Answer>(options, {
      operation,
      ask,
      table: 'social_tweet',
      ...(forget && { forget }),
      includesOf: (found) => findIncludes(state, found),
    })
  }

  function users<What, Answer extends FoundPage<SocialUser> | null>(
    operation: SocialOperation,
    ask: AskPage<What, Answer>,
    forget?: (what: What) => Promise<void>,
  ): AskPage<What, Answer> {
    return cachedPage<SocialUser, What, Answer>(options, {
      operation,
      ask,
      table: 'social_user',
      ...(forget && { forget }),
      includesOf: async () => ({}),
    })
  }
}

type PageCache<Item, What, Answer> = {
  readonly operation: SocialOperation
  readonly ask: AskPage<What, Answer>
  readonly table: 'social_tweet' | 'social_user'
  /** Deletes the list's owner once the upstream no longer knows it. */
  readonly forget?: (what: What) => Promise<void>
  readonly includesOf: (found: readonly Item[]) => Promise<FoundPage<Item>['includes']>
}

function cachedPage<Item extends Tweet | SocialUser, What, Answer extends FoundPage<Item> | null>(
  { state, upstream, now, pageMs }: ReadThroughOptions,
  { operation, ask, table, forget, includesOf }: PageCache<Item, What, Answer>,
): AskPage<What, Answer> {
  return markPages(upstream.name, async (what, page, asking) => {
    const key = keyOf(what, page)
    const repeated = await repeat(key)
    // Only non-null answers are cached.
    if (repeated) return repeated as Answer
    const found = await ask(what, page, asking)
    if (found === null) {
      await forget?.(what)
      return found
    }
    const objects =
      table === 'social_tweet' ? { tweets: found.data as Tweet[] } : { users: found.data as SocialUser[] }
    await writeThrough(state, objects, found.includes, now())
    if (pageMs > 0) await save(key, found)
    return found
  })

  function keyOf(what: What, { limit, position }: RequestedPage): string {
    const requested = JSON.stringify([upstream.name, operation, what, limit, position])
    return createHash('sha256').update(requested).digest('base64url')
  }

  async function repeat(key: string): Promise<FoundPage<Item> | null> {
    const row = await state.db
      .selectFrom('social_page')
      .select(['ids', 'next'])
      .where('key', '=', key)
      .where('fetched_at', '>', now().getTime() - pageMs)
      .executeTakeFirst()
    if (!row) return null
    // Written by `save` below.
    const data = await readBodies<Item>(state, table, JSON.parse(row.ids) as string[])
    return { data, includes: await includesOf(data), next: row.next }
  }

  async function save(key: string, { data, next }: FoundPage<Item>): Promise<void> {
    const fetched_at = now().getTime()
    const row = { ids: JSON.stringify(data.map(({ id }) => id)), next, fetched_at }
    await state.db
      .deleteFrom('social_page')
      .where('fetched_at', '<=', fetched_at - pageMs)
      .execute()
    await state.db
      .insertInto('social_page')
      .values({ key, ...row })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
      .execute()
  }
}

/**
 * Binds pages to one of several sources: positions are prefixed with its name, and only those are accepted.
 * @throws ProblemError `cannot_be_served` for the position of another source.
 */
export function markPages<What, Answer extends Pick<FoundPage<unknown>, 'next'> | null>(
  source: string,
  ask: AskPage<What, Answer>,
): AskPage<What, Answer> {
  const mark = `${source}:`
  return async (what, page, asking) => {
    const { position } = page
    if (position !== null && !position.startsWith(mark)) {
      const detail = 'This next_token continues a list of another source; start again without it.'
      throw new ProblemError({ code: 'cannot_be_served', detail })
    }
    const own = position === null ? null : position.slice(mark.length)
    const found = await ask(what, { ...page, position: own }, asking)
    return found === null || found.next === null ? found : { ...found, next: `${mark}${found.next}` }
  }
}
