import type { Effects } from '@tollbook/gate/contract/effects'
import type { Issue } from '@tollbook/http/problem'
import type { Registry } from 'prom-client'
import type { ImageFile } from '../image/image-store.ts'
import type { Article, Community, Includes, Media, SocialList, SocialUser, Tweet } from '../model.ts'

/** The relation of two ids; `follow` from the follower to the followed user, otherwise from the user to the object. */
export type RelationKind = 'follow' | 'list_member' | 'list_follower' | 'repost'

export type Relation = { readonly kind: RelationKind; readonly from: string; readonly to: string }

/** Related objects that an importer or an upstream passes to the store. */
export type SocialBundle = {
  readonly users: readonly SocialUser[]
  readonly tweets: readonly Tweet[]
  readonly media: readonly Media[]
  readonly lists: readonly SocialList[]
  readonly communities: readonly Community[]
  readonly articles: readonly Article[]
  /** Newest first within each kind, as the networks list them. */
  readonly relations: readonly Relation[]
}

/** A search for tweets; a tweet must match all filters. At least one filter besides `lang` is set. */
export type TweetQuery = {
  /** All must occur; never interpreted as search operators. */
  readonly words: readonly string[]
  /** Must occur exactly, ignoring case and accents. */
  readonly phrase: string | null
  /** At least one must occur; empty for no such filter. */
  readonly anyWords: readonly string[]
  /** None may occur. */
  readonly noneWords: readonly string[]
  /** Without `#`. */
  readonly hashtags: readonly string[]
  /** Usernames without `@`. */
  readonly from: string | null
  readonly to: string | null
  readonly mentioning: string | null
  readonly minReplies: number | null
  readonly minLikes: number | null
  readonly minReposts: number | null
  /** Bounds of the creation time, inclusive and exclusive. */
  readonly since: Date | null
  readonly until: Date | null
  /** A language tag as in tweets, such as `en`. */
  readonly lang: string | null
}

/** The tweet exists, and has no article. */
export type NoArticle = { readonly kind: 'no_article' }

export const NO_ARTICLE: NoArticle = Object.freeze({ kind: 'no_article' })

/** The operations of a source. */
export type SocialOperation = keyof SocialOperations

/** The waiting caller: the answer is abandoned if the signal is aborted. */
export type Asking = { readonly signal: AbortSignal }

/** An image in our own store is a state change, which is paid like any other. */
export type Uploading = Asking & { readonly effects: Effects }

/** A page of a list, newest first. `position` is `next` of an earlier answer; null for the start. */
export type RequestedPage = { readonly limit: number; readonly position: string | null }

/** One object, and the objects it refers to. */
export type Found<Item> = { readonly data: Item; readonly includes: Includes }

/**
 * A page of a list, and the objects it refers to. It may be shorter than the limit, even empty, although more
 * follow: only `next` null means that the list has ended. A position is valid for its own source and
 * operation only.
 */
export type FoundPage<Item> = {
  readonly data: readonly Item[]
  readonly includes: Includes
  readonly next: string | null
}

/** Several objects by their ids, in the requested order, without missing ones. */
export type FoundMany<Item> = Omit<FoundPage<Item>, 'next'> & { readonly missing: readonly string[] }

/** The user on whose behalf a call acts, identified by our own session token. */
export type ActingUser = {
  readonly userId: string
  /** The user's token at the source; null for a user of the store. */
  readonly accessToken: string | null
}

export type Paged<Item> = (id: string, page: RequestedPage, asking: Asking) => Promise<FoundPage<Item> | null>

/**
 * A source of social data: our own store, or a network reached through its API. An absent operation is not
 * supported; its endpoint then answers 501 before any payment.
 */
export interface SocialProvider {
  readonly name: string
  readonly operations: Partial<SocialOperations>
  /** How long an operation is paused because it fails or is used up; synchronous. Absent: never. */
  pauseSeconds?(operation: SocialOperation): number
  /** Issues of queries that the source cannot search, reported before any payment; absent: it can search everything. */
  readonly searchIssues?: SearchIssues
  /** Registers metrics on the use of a network; absent if none is called. */
  registerMetrics?(registry: Registry): void
}

export type SearchIssues = {
  readonly tweets?: (query: TweetQuery) => readonly Issue[]
  readonly users?: (query: string) => readonly Issue[]
}

/**
 * Ids and usernames are well-formed; usernames have no `@` and any case. Null means that the object, or the
 * object that the list belongs to, does not exist.
 * @throws ProblemError with the reason for the caller if the source does not answer; such a call is never
 * charged.
 */
export interface SocialOperations {
  tweetById(id: string, asking: Asking): Promise<Found<Tweet> | null>
  tweetsByIds(ids: readonly string[], asking: Asking): Promise<FoundMany<Tweet>>
  searchTweets(query: TweetQuery, page: RequestedPage, asking: Asking): Promise<FoundPage<Tweet>>
  /** By username. */
  tweetsOfUser: Paged<Tweet>
  mentions(user: ActingUser, page: RequestedPage, asking: Asking): Promise<FoundPage<Tweet>>
  /** @returns the id for attaching the image to a tweet. */
  uploadMedia(user: ActingUser, file: ImageFile, asking: Uploading): Promise<{ readonly mediaId: string }>
  repliesTo: Paged<Tweet>
  quotesOf: Paged<Tweet>
  repostersOf: Paged<SocialUser>
  userByUsername(username: string, asking: Asking): Promise<SocialUser | null>
  searchUsers(query: string, page: RequestedPage, asking: Asking): Promise<FoundPage<SocialUser>>
  followersOf: Paged<SocialUser>
  followedBy: Paged<SocialUser>
  listById(id: string, asking: Asking): Promise<Found<SocialList> | null>
  tweetsOfList: Paged<Tweet>
  membersOfList: Paged<SocialUser>
  followersOfList: Paged<SocialUser>
  /** The article of a tweet; null if the tweet does not exist. */
  articleOf(tweetId: string, asking: Asking): Promise<Found<Article> | NoArticle | null>
  tweetsOfCommunity: Paged<Tweet>
}
