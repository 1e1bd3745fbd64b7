import { similarity, type TermVector } from '@tollbook/flow/text/term-vectors'

/**
 * The damping factor, as in PageRank and LexRank: the probability of following similarity; otherwise the walk
 * jumps to any sentence.
 */
const DAMPING = 0.85
/**
 * A fixed number of iterations, so that the same sentences always get the same ranks; the remaining error is
 * below 0.85^30 = 0.008 of their sum.
 */
const STEPS = 30

/** The centrality of each sentence among the others, summing to 1 (LexRank with continuous weights). */
export function rankCentrality(vectors: readonly TermVector[]): number[] {
  const count = vectors.length
  if (count === 0) return []
  const similarities = new Float64Array(count * count)
  const sums = new Float64Array(count)
  for (const [row, one] of vectors.entries())
    for (let column = 0; column < row; column++) {
      const other = vectors[column]
      const value = other ? similarity(one, other) : 0
      similarities[row * count + column] = value
      similarities[column * count + row] = value
      sums[row] = (sums[row] ?? 0) + value
      sums[column] = (sums[column] ?? 0) + value
    }
  let ranks = new Float64Array(count).fill(1 / count)
  for (let step = 0; step < STEPS; step++) ranks = follow(ranks, similarities, sums)
  return [...ranks]
}

function follow(
  ranks: Float64Array,
  similarities: Float64Array,
  sums: Float64Array,
): Float64Array<ArrayBuffer> {
  const count = ranks.length
  const next = new Float64Array(count)
  let spread = 0
  for (let from = 0; from < count; from++) {
    const rank = ranks[from] ?? 0
    const sum = sums[from] ?? 0
    // A sentence that is similar to no other distributes its rank to all.
    if (sum === 0) spread += rank / count
    else
      for (let to = 0; to < count; to++)
        next[to] = (next[to] ?? 0) + (rank * (similarities[from * count + to] ?? 0)) / sum
  }
  return next.map((value) => (1 - DAMPING) / count + DAMPING * (value + spread))
}
