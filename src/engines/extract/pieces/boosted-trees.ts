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
