/** Tables of social data. Times are epoch milliseconds; `body` is the object as JSON, in the API's shape. */
export type SocialTables = {
  readonly social_user: {
    readonly id: string
    /** The username in lower case, because usernames can differ by more than case. */
    readonly username_key: string
    readonly body: string
    readonly fetched_at: number
    /** Followers * 2^20 + a unique number: users are found in descending order; null before 0017. */
    readonly rank: number | null
  }
  readonly social_tweet: SocialTweetTable
  /** Days since 1970 with tweets; PostgreSQL only. */
  readonly social_tweet_day: { readonly day: number }
  readonly social_list: SocialObjectTable
  readonly social_community: SocialObjectTable
  /** By the id of the hosting tweet. */
  readonly social_article: SocialObjectTable
  /** By media key. */
  readonly social_media: SocialObjectTable
  readonly social_relation: {
    readonly kind: 'follow' | 'list_member' | 'list_follower' | 'repost'
    readonly from_id: string
    readonly to_id: string
    /** Unique; newer relations are higher, and one that is seen again keeps its position. */
    readonly pos: number
  }
  /** One row: the highest position of any relation. */
  readonly social_relation_place: { readonly one: number; readonly last: number }
  /** Random keys that all processes on this store share, as base64. */
  readonly service_secret: { readonly name: string; readonly value: string }
  /** Number of objects fetched from an upstream; `day` counts since 1970 in UTC. */
  readonly social_upstream_use: {
    readonly provider: string
    readonly operation: string
    readonly day: number
    readonly objects: number
  }
  /** A page of an upstream: its objects in order. */
  readonly social_page: {
    /** A hash of the request. */
    readonly key: string
    /** A JSON list of the ids of its objects. */
    readonly ids: string
    /** The upstream's next position; null at the end. */
    readonly next: string | null
    readonly fetched_at: number
  }
  /** The id assigned to a network's own identifier; it never changes. */
  readonly social_known_uri: {
    readonly kind: 'tweet' | 'user' | 'list'
    readonly id: string
    /** A DID, or the URI of a record. */
    readonly uri: string
  }
  readonly social_import: {
    /** Of the file's bytes, so that a moved file resumes, and a changed one starts over. */
    readonly fingerprint: string
    readonly name: string
    /** Empty; 1.0.0 also imported archives, whose files it named here. */
    readonly part: string
    /** Number of values already read. */
    readonly items: number
    /** Imported and skipped counts, as JSON. */
    readonly counts: string
    readonly started_at: number
    /** The position of its first relation; null before there is one. */
    readonly relations_from: number | null
    readonly updated_at: number
    readonly finished_at: number | null
  }
}

export type SocialTweetTable = {
  /** Creation time in milliseconds * 2048 + a unique number; newer tweets are higher. */
  readonly seq: number
  readonly id: string
  readonly author_id: string | null
  readonly conversation_id: string | null
  readonly in_reply_to_id: string | null
  readonly quoted_id: string | null
  readonly community_id: string | null
  /** Metrics to search by; null if unknown. */
  readonly likes: number | null
  readonly reposts: number | null
  readonly replies: number | null
  readonly body: string
  readonly fetched_at: number
}

export type SocialObjectTable = { readonly id: string; readonly body: string; readonly fetched_at: number }
