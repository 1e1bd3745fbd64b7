import { createRandom } from '@tollbook/devchain/demo-week/random'
import type { BoostedTrees } from '@tollbook/extract/pieces/classify-pieces'
import { answerOf, growTree, type Tree } from './grow-tree.ts'
import type { Table } from './table.ts'

const TREES = 240
/** Shares of the rows and columns that each tree uses, so that trees differ. */
const ROW_SHARE = 0.4
const COLUMN_SHARE = 0.2
/** Minimum weight of rows whose prediction is almost certain. */
const MIN_CURVE = 1e-4

/** Trains gradient-boosted trees; deterministic for a table. */
export function trainModel(table: Table, showTree: (done: number, all: number) => void): BoostedTrees {
  const random = createRandom(1)
  const { labels, weights } = table
  const base = logOdds(labels, weights)
  const scores = new Float64Array(table.rows).fill(base)
  const slopes = { first: new Float64Array(table.rows), second: new Float64Array(table.rows) }
  const all = Int32Array.from({ length: table.rows }, (_, row) => row)
  const trees: Tree[] = []
  for (let done = 1; done <= TREES; done += 1) {
    for (const row of all) {
      const odds = 1 / (1 + Math.exp(-(scores[row] ?? 0)))
      slopes.first[row] = (weights[row] ?? 0) * (odds - (labels[row] ?? 0))
      slopes.second[row] = (weights[row] ?? 0) * Math.max(odds * (1 - odds), MIN_CURVE)
    }
    const columns = [...table.edges.keys()].filter(
      (column) => (table.edges[column]?.length ?? 0) > 0 && random() < COLUMN_SHARE,
    )
    const tree = growTree(
      table,
      slopes,
      all.filter(() => random() < ROW_SHARE),
      columns,
    )
    for (const row of all) scores[row] = (scores[row] ?? 0) + answerOf(tree, table, row)
    trees.push(tree)
    showTree(done, TREES)
  }
  return join(trees, table.columns, base)
}

function logOdds(labels: Float64Array, weights: Float64Array): number {
  let [yes, all] = [0, 0]
  for (const [row, weight] of weights.entries()) {
    yes += weight * (labels[row] ?? 0)
    all += weight
  }
  return Math.log(yes / (all - yes))
}

function join(trees: readonly Tree[], features: number, base: number): BoostedTrees {
  const model = {
    roots: [] as number[],
    feature: [] as number[],
    value: [] as number[],
    right: [] as number[],
  }
  for (const tree of trees) {
    const root = model.feature.length
    model.roots.push(root)
    for (const [at, feature] of tree.feature.entries()) {
      const value = tree.value[at] ?? 0
      model.feature.push(feature)
      // Nine digits restore an edge exactly; four digits are as precise as an output is.
      model.value.push(Number(value.toPrecision(feature >= 0 ? 9 : 4)))
      model.right.push(feature >= 0 ? root + (tree.right[at] ?? 0) : 0)
    }
  }
  return { features, base: Number(base.toPrecision(6)), ...model }
}
