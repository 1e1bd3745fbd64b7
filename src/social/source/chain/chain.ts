import type { SocialOperation, SocialOperations, SocialProvider } from '../provider.ts'
import type { ChainOptions } from './chain-options.ts'
import { keepObjects } from './keep-objects.ts'
import { keepPages } from './keep-pages.ts'
import { markPages } from './marked-pages.ts'

/** Operations that the store often answers alone, so that they are sold while the upstream is left alone. */
const OF_OBJECTS: ReadonlySet<SocialOperation> = new Set<SocialOperation>([
  'tweetById',
  'tweetsByIds',
  'userByUsername',
  'listById',
  'articleOf',
])

/**
 * An upstream behind the store. An object is answered from the store while it is fresh; then it is asked for, and
 * stored anew, or deleted where the upstream no longer has it. Of lists the store may know but a part, so a page is
 * always one that the upstream gave. What the upstream never offers, the store answers from its own.
 */
export function createChain(options: ChainOptions): SocialProvider {
  const { store, upstream } = options
  const { searchTweets, searchUsers } = upstream.operations
  const faults = upstream.searchFaults
  return {
    name: `${store.name},${upstream.name}`,
    operations: {
      ...ofStore(store),
      ...keepObjects(options),
      ...keepPages(options),
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

/** What the store answers from its own where the upstream offers nothing; its pages carry its name. */
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

/** What users ask for themselves: those of the upstream there, those of the store here. Nothing of it is kept. */
function forActingUsers({ store, upstream }: ChainOptions): Partial<SocialOperations> {
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
