import type { Registry } from 'prom-client'
import type { Effects } from '../../catalogue/effect/effects.ts'
import type { Fault } from '../../catalogue/problem.ts'
import type { Article } from '../model/article.ts'
import type { Includes } from '../model/includes.ts'
import type { SocialList } from '../model/list.ts'
import type { Tweet } from '../model/tweet.ts'
import type { SocialUser } from '../model/user.ts'
import type { TweetQuery } from './tweet-query.ts'

/** What can be asked of a source. */
export type SocialOperation = keyof SocialOperations

/** Whom an answer waits for: it is given up when the signal is aborted. */
export type Asking = { readonly signal: AbortSignal }

/** An image of our own store is a change of the state, which is paid like any other. */
export type Uploading = Asking & { readonly effects: Effects }

/** A part of a list, the newest first. `position` is what an earlier answer gave as `next`; null for the start. */
export type PageAsked = { readonly limit: number; readonly position: string | null }

/** One object, and what it refers to. */
export type Found<Item> = { readonly data: Item; readonly includes: Includes }

/**
 * A part of a list, and what it refers to. It may be shorter than the limit, even empty, although more follows:
 * only `next` null says that the list has ended. A position means something to its own source and operation only.
 */
export type FoundPage<Item> = {
  readonly data: readonly Item[]
  readonly includes: Includes
  readonly next: string | null
}

/** Several objects by their ids, in the order asked for, without those that there are not. */
export type FoundMany<Item> = Omit<FoundPage<Item>, 'next'> & { readonly missing: readonly string[] }

/** A user on whose behalf something is asked: whom our own session token stands for. */
export type ActingUser = {
  readonly userId: string
  /** The token of the user at the source; null for a user of the store. */
  readonly accessToken: string | null
}

/** An image, already known to be one by its first bytes. */
export type ImageFile = { readonly contentType: string; readonly bytes: Uint8Array }

export type Paged<Item> = (id: string, page: PageAsked, asking: Asking) => Promise<FoundPage<Item> | null>

/**
 * Where social data comes from: our own store, or a network reached through its API. An operation that is absent
 * can never be answered here; then its endpoint is a 501, before any payment.
 */
export interface SocialProvider {
  readonly name: string
  readonly operations: Partial<SocialOperations>
  /** For how long an operation is left alone because it fails or is used up, known without waiting; absent: never. */
  pauseSeconds?(operation: SocialOperation): number
  /** What the source cannot look for, told before any payment; absent: it can look for everything. */
  readonly searchFaults?: SearchFaults
  /** Shows how a network is used in the metrics of the service; absent where none is asked. */
  registerMetrics?(registry: Registry): void
}

export type SearchFaults = {
  readonly tweets?: (query: TweetQuery) => readonly Fault[]
  readonly users?: (query: string) => readonly Fault[]
}

/**
 * Ids and usernames arrive well-formed, usernames without `@`, in any case. An answer of null says that what the
 * list belongs to, or the object itself, does not exist.
 * @throws ProblemError that tells a caller why the source does not answer; none is charged.
 */
export interface SocialOperations {
  tweetById(id: string, asking: Asking): Promise<Found<Tweet> | null>
  tweetsByIds(ids: readonly string[], asking: Asking): Promise<FoundMany<Tweet>>
  searchTweets(query: TweetQuery, page: PageAsked, asking: Asking): Promise<FoundPage<Tweet>>
  /** By username. */
  tweetsOfUser: Paged<Tweet>
  mentions(user: ActingUser, page: PageAsked, asking: Asking): Promise<FoundPage<Tweet>>
  /** @returns the id under which a tweet can attach the image. */
  uploadMedia(user: ActingUser, file: ImageFile, asking: Uploading): Promise<{ readonly mediaId: string }>
  repliesTo: Paged<Tweet>
  quotesOf: Paged<Tweet>
  repostersOf: Paged<SocialUser>
  userByUsername(username: string, asking: Asking): Promise<SocialUser | null>
  searchUsers(query: string, page: PageAsked, asking: Asking): Promise<FoundPage<SocialUser>>
  followersOf: Paged<SocialUser>
  followedBy: Paged<SocialUser>
  listById(id: string, asking: Asking): Promise<Found<SocialList> | null>
  tweetsOfList: Paged<Tweet>
  membersOfList: Paged<SocialUser>
  followersOfList: Paged<SocialUser>
  /** The article that a tweet hosts; null without the tweet, `hosts nothing` for a tweet without one. */
  articleOf(tweetId: string, asking: Asking): Promise<Found<Article> | 'hosts nothing' | null>
  tweetsOfCommunity: Paged<Tweet>
}
