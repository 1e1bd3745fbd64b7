import type { Article } from '../model/article.ts'
import type { Community } from '../model/community.ts'
import type { SocialList } from '../model/list.ts'
import type { Media } from '../model/media.ts'
import type { Tweet } from '../model/tweet.ts'
import type { SocialUser } from '../model/user.ts'

/** How two ids stand to each other; `follow` from the follower to the followed, else from the user to the thing. */
export type RelationKind = 'follow' | 'list_member' | 'list_follower' | 'repost'

export type Relation = { readonly kind: RelationKind; readonly from: string; readonly to: string }

/** Objects that belong together, as an importer or an upstream gives them to the store. */
export type SocialBundle = {
  readonly users: readonly SocialUser[]
  readonly tweets: readonly Tweet[]
  readonly media: readonly Media[]
  readonly lists: readonly SocialList[]
  readonly communities: readonly Community[]
  readonly articles: readonly Article[]
  /** Of each kind the newest first, as the networks list them. */
  readonly relations: readonly Relation[]
}
