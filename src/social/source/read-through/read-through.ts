import type { SocialOperation, SocialOperations, SocialProvider } from '../provider.ts'
import { type ReadThroughOptions, storeObjects } from './store-objects.ts'
import { markPages, storePages } from './store-pages.ts'

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
  const faults = upstream.searchFaults
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
    searchFaults: {
      ...(searchTweets && faults?.tweets && { tweets: faults.tweets }),
      ...(searchUsers && faults?.users && { users: faults.users }),
    },
  }
}

/** The store's own operations, for those that the upstream lacks; page tokens carry the store's name. */
function ofStore({ name, operations: own }: SocialProvider): Partial<SocialOperations> {
  return {
    ...own,
    ...(own.searchTweets && { searchTweets: markPages(name, own.searchTweets) }),
    ...(own.tweetsOfUser && { tweetsOfUser: markPages(name, own.tweetsOfUser) }),
    ...(own.mentions && { mentions: markPages(name, own.mentions) }),
    ...(own.repliesTo && { repliesTo: markPages(name, own.repliesTo) }),
    ...(own.quotesOf && { quotesOf: markPages(name, own.quotesOf) }),
    ...(own.repostersOf && { repostersOf: markPages(name, own.repostersOf) }),
    ...(own.searchUsers && { searchUsers: markPages(name, own.searchUsers) }),
    ...(own.followersOf && { followersOf: markPages(name, own.followersOf) }),
    ...(own.followedBy && { followedBy: markPages(name, own.followedBy) }),
    ...(own.tweetsOfList && { tweetsOfList: markPages(name, own.tweetsOfList) }),
    ...(own.membersOfList && { membersOfList: markPages(name, own.membersOfList) }),
    ...(own.followersOfList && { followersOfList: markPages(name, own.followersOfList) }),
    ...(own.tweetsOfCommunity && { tweetsOfCommunity: markPages(name, own.tweetsOfCommunity) }),
  }
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
