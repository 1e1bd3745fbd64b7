import type { Article, Community, Media, SocialList, SocialUser, Tweet } from '../model.ts'

/**
 * The relation of two ids; `follow` from the follower to the followed user, otherwise from the user to the
 * object.
 */
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
