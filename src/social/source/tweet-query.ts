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
