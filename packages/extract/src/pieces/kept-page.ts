import type { PieceGroup } from './find-groups.ts'
import type { PreparedPage } from './prepare-page.ts'

/** A page with the pieces that are kept so far. */
export type Kept = {
  readonly page: PreparedPage
  readonly groups: readonly PieceGroup[]
  readonly probabilities: readonly number[]
  /** For each piece, whether it is kept so far. */
  readonly isKept: readonly boolean[]
  readonly includeImages: boolean
}

/** The same with the pieces that are at the side of the content (`findElsewhere`). */
export type Found = Kept & { readonly isElsewhere: readonly boolean[] }
