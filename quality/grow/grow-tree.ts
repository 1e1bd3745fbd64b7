import { BINS, type Table } from './table.ts'

export type Tree = {
  readonly feature: number[]
  readonly value: number[]
  readonly right: number[]
  readonly bin: number[]
}

/** First and second derivative of the loss for each row. */
export type Slopes = { readonly first: Float64Array; readonly second: Float64Array }

/** Maximum depth: edges from the root to a leaf. */
const DEPTH = 6
/** L2 regularization: shrinks the output of leaves with little data. */
const RIDGE = 20
/** Minimum sum of second derivatives in a branch; a branch with less is noise. */
const MIN_CURVE = 30
/** A split with a smaller gain is discarded. */
const MIN_GAIN = 1
/** Learning rate. */
const RATE = 0.08

/** Grows one tree with second-order gradients (Friedman 2001; Chen and Guestrin 2016, section 2.2). */
export function growTree(table: Table, slopes: Slopes, rows: Int32Array, columns: readonly number[]): Tree {
  const tree: Tree = { feature: [], value: [], right: [], bin: [] }
  const grow = (members: Int32Array, known: Float64Array | null, depth: number) => {
    const [first, second] = [sumAt(slopes.first, members), sumAt(slopes.second, members)]
    const node = tree.feature.push(-1) - 1
    tree.value.push((-RATE * first) / (second + RIDGE))
    tree.right.push(0)
    tree.bin.push(0)
    if (depth >= DEPTH || second < 2 * MIN_CURVE) return
    const sums = known ?? sumBins(table, slopes, members, columns)
    const split = findSplit(table, sums, columns, { first, second })
    if (split === null) return
    const isLeft = (row: number) => (table.bins[row * table.columns + split.column] ?? 0) <= split.bin
    const [left, right] = [members.filter(isLeft), members.filter((row) => !isLeft(row))]
    const isLeftSmall = left.length < right.length
    // The sums of one branch are the sums of the parent minus those of the other branch.
    const small = depth + 1 < DEPTH ? sumBins(table, slopes, isLeftSmall ? left : right, columns) : null
    const large = small === null ? null : sums.map((sum, at) => sum - (small[at] ?? 0))
    tree.feature[node] = split.column
    tree.value[node] = table.edges[split.column]?.[split.bin] ?? 0
    tree.bin[node] = split.bin
    grow(left, isLeftSmall ? small : large, depth + 1)
    tree.right[node] = tree.feature.length
    grow(right, isLeftSmall ? large : small, depth + 1)
  }
  grow(rows, null, 0)
  return tree
}

/** The output of a tree for a row. */
export function answerOf({ feature, value, right, bin }: Tree, table: Table, row: number): number {
  let at = 0
  for (let column = feature[0] ?? -1; column >= 0; column = feature[at] ?? -1)
    at = (table.bins[row * table.columns + column] ?? 0) <= (bin[at] ?? 0) ? at + 1 : (right[at] ?? 0)
  return value[at] ?? 0
}

/** First and second derivatives by column and bin, interleaved. */
function sumBins(
  table: Table,
  { first, second }: Slopes,
  members: Int32Array,
  columns: readonly number[],
): Float64Array {
  const sums = new Float64Array(columns.length * BINS * 2)
  for (const row of members) {
    const [start, slope, curve] = [row * table.columns, first[row] ?? 0, second[row] ?? 0]
    for (let index = 0; index < columns.length; index += 1) {
      const at = (index * BINS + (table.bins[start + (columns[index] ?? 0)] ?? 0)) * 2
      sums[at] = (sums[at] ?? 0) + slope
      sums[at + 1] = (sums[at + 1] ?? 0) + curve
    }
  }
  return sums
}

function findSplit(
  table: Table,
  sums: Float64Array,
  columns: readonly number[],
  all: { readonly first: number; readonly second: number },
): { readonly column: number; readonly bin: number } | null {
  let best: { column: number; bin: number } | null = null
  const score = (first: number, second: number) => (first * first) / (second + RIDGE)
  let max = MIN_GAIN + score(all.first, all.second)
  for (const [index, column] of columns.entries()) {
    let [first, second] = [0, 0]
    for (let bin = 0; bin < (table.edges[column]?.length ?? 0); bin += 1) {
      first += sums[(index * BINS + bin) * 2] ?? 0
      second += sums[(index * BINS + bin) * 2 + 1] ?? 0
      if (second < MIN_CURVE) continue
      if (all.second - second < MIN_CURVE) break
      const gained = score(first, second) + score(all.first - first, all.second - second)
      if (gained > max) [max, best] = [gained, { column, bin }]
    }
  }
  return best
}

function sumAt(values: Float64Array, members: Int32Array): number {
  let sum = 0
  for (const row of members) sum += values[row] ?? 0
  return sum
}
