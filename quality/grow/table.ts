import type { Example } from './examples.ts'

/** Features of pieces, sorted into bins, which is all that a tree needs. */
export type Table = {
  readonly rows: number
  readonly columns: number
  /** Row by row. */
  readonly bins: Uint8Array
  /** Per column, the boundaries between bins. */
  readonly edges: readonly Float32Array[]
  readonly labels: Float64Array
  readonly weights: Float64Array
}

export const BINS = 64
/** Number of rows from which the edges are computed. */
const SAMPLE = 40_000

export function toTable(examples: readonly Example[]): Table {
  const features = examples.flatMap((example) => example.features)
  const [rows, columns] = [features.length, features[0]?.length ?? 0]
  const sample = features.filter((_, at) => at % Math.max(1, Math.floor(rows / SAMPLE)) === 0)
  const edges = Array.from({ length: columns }, (_, column) =>
    findEdges(Float32Array.from(sample, (row) => row[column] ?? 0)),
  )
  const bins = new Uint8Array(rows * columns)
  for (const [at, row] of features.entries())
    for (let column = 0; column < columns; column += 1)
      bins[at * columns + column] = binOf(row[column] ?? 0, edges[column] ?? new Float32Array())
  return {
    rows,
    columns,
    bins,
    edges,
    labels: Float64Array.from(examples.flatMap((example) => example.labels)),
    weights: Float64Array.from(examples.flatMap((example) => example.weights)),
  }
}

/** Edges that separate equal shares of the values, without duplicates. */
function findEdges(values: Float32Array): Float32Array {
  values.sort()
  const [min = 0, max = 0] = [values[0], values.at(-1)]
  const edges: number[] = []
  for (let bin = 1; bin < BINS; bin += 1) {
    const edge = values[Math.floor((bin * values.length) / BINS)] ?? 0
    if (edge > (edges.at(-1) ?? min)) edges.push(edge)
  }
  return Float32Array.from(edges.length === 0 && max > min ? [max] : edges)
}

/** Number of edges at or below a value. */
function binOf(value: number, edges: Float32Array): number {
  let [low, high] = [0, edges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((edges[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}
