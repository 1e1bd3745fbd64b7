/** Decision trees whose answers are added up; every tree stands in the lists as a node, its left branch, its right one. */
export type Forest = {
  /** How many figures describe a piece. */
  readonly features: number
  /** The answer of no tree, as the logarithm of the odds. */
  readonly base: number
  /** Where each tree starts. */
  readonly roots: readonly number[]
  /** Of each node, the figure that decides; -1 where an answer stands. */
  readonly feature: readonly number[]
  /** The figure goes left below this; or the answer. */
  readonly value: readonly number[]
  /** Where the right branch starts. */
  readonly right: readonly number[]
}

/** How likely a piece is content by all trees, 0 to 1. */
export function askForest({ base, roots, feature, value, right }: Forest, figures: Float32Array): number {
  let sum = base
  for (const root of roots) {
    let at = root
    let deciding = feature[at] ?? -1
    while (deciding >= 0) {
      at = (figures[deciding] ?? 0) < (value[at] ?? 0) ? at + 1 : (right[at] ?? 0)
      deciding = feature[at] ?? -1
    }
    sum += value[at] ?? 0
  }
  return 1 / (1 + Math.exp(-sum))
}
