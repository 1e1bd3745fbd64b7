/** The points of a closed outline, moved to the real border; coordinates may be fractional. */
export type Points = { readonly xs: Float64Array; readonly ys: Float64Array }

/** Prefix sums over the points, for constant-time moments of any stretch; positions continue past the end. */
export type PointSums = {
  readonly count: number
  /** Moments of the points `from` to `to`, both inclusive; `from` <= `to` < 2 * count. */
  between(from: number, to: number): Moments
}

/** Number of points, and the means of x, y, xx, xy and yy. */
export type Moments = {
  readonly n: number
  readonly x: number
  readonly y: number
  readonly xx: number
  readonly xy: number
  readonly yy: number
}

export function sumPoints({ xs, ys }: Points): PointSums {
  const count = xs.length
  const sums = new Float64Array(5 * (2 * count + 1))
  for (let at = 0; at < 2 * count; at++) {
    const x = xs[at % count] ?? 0
    const y = ys[at % count] ?? 0
    const row = 5 * at
    sums[row + 5] = (sums[row] ?? 0) + x
    sums[row + 6] = (sums[row + 1] ?? 0) + y
    sums[row + 7] = (sums[row + 2] ?? 0) + x * x
    sums[row + 8] = (sums[row + 3] ?? 0) + x * y
    sums[row + 9] = (sums[row + 4] ?? 0) + y * y
  }
  return {
    count,
    between(from, to) {
      const n = to + 1 - from
      const mean = (column: number) =>
        ((sums[5 * (to + 1) + column] ?? 0) - (sums[5 * from + column] ?? 0)) / n
      return { n, x: mean(0), y: mean(1), xx: mean(2), xy: mean(3), yy: mean(4) }
    },
  }
}
