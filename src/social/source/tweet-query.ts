/** A search for tweets; a tweet must fit everything that is given. At least one filter besides `lang` is. */
export type TweetQuery = {
  /** Each must occur; never operators of any search language. */
  readonly words: readonly string[]
  /** Must occur letter for letter, but for case and accents. */
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
  /** Inclusive and exclusive, of the creation time. */
  readonly since: Date | null
  readonly until: Date | null
  /** A language tag as tweets carry it, such as `en`. */
  readonly lang: string | null
}
