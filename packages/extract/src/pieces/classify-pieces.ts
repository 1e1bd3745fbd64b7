import type { ClassifiedPage } from './choose-pieces.ts'

/**
 * A model of gradient-boosted decision trees. The nodes of all trees share these arrays: a node, then its
 * left subtree, then its right one.
 */
export type BoostedTrees = {
  /** Number of features per piece. */
  readonly features: number
  /** Log-odds before the first tree. */
  readonly base: number
  /** Index of the root of each tree. */
  readonly roots: readonly number[]
  /** For each node the feature to compare; -1 for a leaf. */
  readonly feature: readonly number[]
  /** Threshold: smaller values go left; for a leaf, its output. */
  readonly value: readonly number[]
  /** Index of the right child; the left child is the next node. */
  readonly right: readonly number[]
}

import contentModel from './data/content-model.json' with { type: 'json' }
import { extractFeatures } from './extract-features.ts'
import { GROUPS } from './name-groups.ts'
import { type PageInput, type PreparedPage, preparePage } from './prepare-page.ts'
import { FAR } from './split-pieces.ts'

/**
 * Predicts how likely each piece of a page is content, with gradient-boosted trees trained by `npm run grow`
 * on pages that people had labelled (data/README.md).
 */
export function classifyPieces(known: PageInput): ClassifiedPage & { readonly page: PreparedPage } {
  const view = preparePage(known)
  const model: BoostedTrees = contentModel
  const probabilities = extractFeatures(view).map((features, at) =>
    isUnseen(known, at) ? 0 : predict(model, features),
  )
  const { pageType, pieces } = known
  return { page: view, pageType, pieces, counts: view.counts, probabilities }
}

const HIDING = GROUPS.indexOf('hiding')

/** Whether a piece is hidden from readers, on a page that is not hidden as a whole. */
function isUnseen({ pieces, isInside }: PageInput, at: number): boolean {
  return !isInside[at] && (pieces[at]?.place.distances[HIDING] ?? FAR) < FAR
}

/** Predicts the probability that a piece is content, 0 to 1. */
export function predict(
  { base, roots, feature, value, right }: BoostedTrees,
  features: Float32Array,
): number {
  let sum = base
  for (const root of roots) {
    let at = root
    let deciding = feature[at] ?? -1
    while (deciding >= 0) {
      at = (features[deciding] ?? 0) < (value[at] ?? 0) ? at + 1 : (right[at] ?? 0)
      deciding = feature[at] ?? -1
    }
    sum += value[at] ?? 0
  }
  return 1 / (1 + Math.exp(-sum))
}
