import { createHash } from 'node:crypto'
import { ProblemError } from '@tollbook/http/problem'
import type { SocialUser, Tweet } from '../../model.ts'
import type { State } from '../../state/state.ts'
import type {
  Asking,
  FoundPage,
  RequestedPage,
  SocialOperation,
  SocialOperations,
  SocialProvider,
} from '../provider.ts'
import { forgetList, forgetTweets, forgetUser } from '../store/forget.ts'
import { findIncludes, readBodies } from '../store/read-bodies.ts'
import { type ReadThroughOptions, storeObjects } from './store-objects.ts'
import { writeThrough } from './write-through.ts'

/** Reads a page of objects that belong to an id, a name, a query or the calling user. */
type AskPage<What, Answer> = (what: What, page: RequestedPage, asking: Asking) => Promise<Answer>

type AnyPage = AskPage<unknown, FoundPage<Tweet | SocialUser> | null>

type Listing = {
  readonly table: 'social_tweet' | 'social_user'
  /** Deletes the list's owner once the upstream no longer knows it. */
  readonly forget?: (state: State, owner: string) => Promise<void>
}

const ofTweet: Listing['forget'] = (state, id) => forgetTweets(state, [id])
const ofOwner: Listing['forget'] = (state, id) => forgetUser(state, { id })

/** The operations whose pages of the upstream are cached. */
const LISTINGS: Readonly<Record<string, Listing>> = {
  searchTweets: { table: 'social_tweet' },
  tweetsOfUser: { table: 'social_tweet', forget: (state, username) => forgetUser(state, { username }) },
  repliesTo: { table: 'social_tweet', forget: ofTweet },
  quotesOf: { table: 'social_tweet', forget: ofTweet },
  repostersOf: { table: 'social_user', forget: ofTweet },
  searchUsers: { table: 'social_user' },
  followersOf: { table: 'social_user', forget: ofOwner },
  followedBy: { table: 'social_user', forget: ofOwner },
  tweetsOfList: { table: 'social_tweet', forget: forgetList },
  membersOfList: { table: 'social_user', forget: forgetList },
  followersOfList: { table: 'social_user', forget: forgetList },
  tweetsOfCommunity: { table: 'social_tweet' },
} satisfies Partial<Record<SocialOperation, Listing>>

/** Operations that the store can often answer alone, so they are sold while the circuit breaker is open. */
const OF_OBJECTS: ReadonlySet<SocialOperation> = new Set<SocialOperation>([
  'tweetById',
  'tweetsByIds',
  'userByUsername',
  'listById',
  'articleOf',
])

/**
 * The store as a read-through cache of an upstream. Objects are served from the store while they are fresh; then they
 * are fetched again and replaced, or deleted if the upstream no longer has them. The store may hold only a part of a
 * list, so pages always come from the upstream. Operations that the upstream lacks are answered from the store.
 */
export function createReadThrough(options: ReadThroughOptions): SocialProvider {
  const { store, upstream } = options
  const { searchTweets, searchUsers } = upstream.operations
  const issues = upstream.searchIssues
  return {
    name: `${store.name},${upstream.name}`,
    operations: {
      ...ofStore(store),
      ...storeObjects(options),
      ...storePages(options),
      ...forActingUsers(options),
    },
    pauseSeconds: (operation) =>
      upstream.operations[operation] && !OF_OBJECTS.has(operation)
        ? (upstream.pauseSeconds?.(operation) ?? 0)
        : 0,
    ...(upstream.registerMetrics && {
      registerMetrics: (registry) => upstream.registerMetrics?.(registry),
    }),
    searchIssues: {
      ...(searchTweets && issues?.tweets && { tweets: issues.tweets }),
      ...(searchUsers && issues?.users && { users: issues.users }),
    },
  }
}

/** The store's own operations, for those that the upstream lacks; page tokens carry the store's name. */
function ofStore(store: SocialProvider): Partial<SocialOperations> {
  const marked = mapPages(store, [...Object.keys(LISTINGS), 'mentions'], (ask) => markPages(store.name, ask))
  return { ...store.operations, ...marked }
}

function mapPages(
  { operations }: SocialProvider,
  names: readonly string[],
  wrap: (ask: AnyPage, operation: string) => AnyPage,
): Partial<SocialOperations> {
  const asks = Object.entries(operations).filter(([name]) => names.includes(name))
  // The wrapper keeps the operation's parameters and result.
  return Object.fromEntries(asks.map(([name, ask]) => [name, wrap(ask as AnyPage, name)]))
}

/** Operations on behalf of a user, at the upstream for its users and in the store for local ones. Never cached. */
function forActingUsers({ store, upstream }: ReadThroughOptions): Partial<SocialOperations> {
  const here = store.operations
  const there = upstream.operations
  const mentionsHere = here.mentions && markPages(store.name, here.mentions)
  const mentionsThere = there.mentions && markPages(upstream.name, there.mentions)
  const mentions = mentionsThere ?? mentionsHere
  const uploadMedia = there.uploadMedia ?? here.uploadMedia
  return {
    ...(mentions && {
      mentions: (user, page, asking) =>
        ((user.accessToken === null && mentionsHere) || mentions)(user, page, asking),
    }),
    ...(uploadMedia && {
      uploadMedia: (user, file, asking) =>
        ((user.accessToken === null && here.uploadMedia) || uploadMedia)(user, file, asking),
    }),
  }
}

/**
 * Caches the pages of an upstream. The store may hold only a part of a list, so it never builds a page itself: for
 * `pageMs` it repeats the upstream's page, with the current state of its objects.
 */
function storePages(options: ReadThroughOptions): Partial<SocialOperations> {
  return mapPages(options.upstream, Object.keys(LISTINGS), (ask, operation) =>
    cachedPage(options, operation, ask),
  )
}

function cachedPage(
  { state, upstream, now, pageMs }: ReadThroughOptions,
  operation: string,
  ask: AnyPage,
): AnyPage {
  const { table = 'social_tweet', forget } = LISTINGS[operation] ?? {}
  return markPages(upstream.name, async (what, page, asking) => {
    const key = keyOf(what, page)
    const repeated = await repeat(key)
    if (repeated) return repeated
    const found = await ask(what, page, asking)
    if (found === null) {
      // Only searches have no owner, and they always find a list.
      await forget?.(state, String(what))
      return found
    }
    const objects =
      table === 'social_tweet' ? { tweets: found.data as Tweet[] } : { users: found.data as SocialUser[] }
    await writeThrough(state, objects, found.includes, now())
    if (pageMs > 0) await save(key, found)
    return found
  })

  function keyOf(what: unknown, { limit, position }: RequestedPage): string {
    const requested = JSON.stringify([upstream.name, operation, what, limit, position])
    return createHash('sha256').update(requested).digest('base64url')
  }

  async function repeat(key: string): Promise<FoundPage<Tweet | SocialUser> | null> {
    const row = await state.db
      .selectFrom('social_page')
      .select(['ids', 'next'])
      .where('key', '=', key)
      .where('fetched_at', '>', now().getTime() - pageMs)
      .executeTakeFirst()
    if (!row) return null
    // Written by `save` below.
    const ids = JSON.parse(row.ids) as string[]
    if (table === 'social_user')
      return { data: await readBodies<SocialUser>(state, table, ids), includes: {}, next: row.next }
    const data = await readBodies<Tweet>(state, table, ids)
    return { data, includes: await findIncludes(state, data), next: row.next }
  }

  async function save(key: string, { data, next }: FoundPage<Tweet | SocialUser>): Promise<void> {
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
function markPages<What, Answer extends Pick<FoundPage<unknown>, 'next'> | null>(
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
