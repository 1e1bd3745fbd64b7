import type { PointSums, Points } from './points.ts'

/**
 * Chooses the points of an outline that become the vertices of its optimal polygon: the minimum number of
 * straight segments and, among those, the minimum penalty (Selinger, sections 2.2.2 to 2.2.4).
 * @param furthest for each point, the result of `findStraights`
 * @returns positions on the outline, ascending
 */
export function choosePolygon(points: Points, sums: PointSums, furthest: Int32Array): number[] {
  const task = { points, sums, furthest }
  // The polygon always has a vertex at the start of the search, so a vertex of a first search is a better start.
  const first = choosePolygonFrom(0, task)
  return choosePolygonFrom(first[Math.floor(first.length / 2)] ?? 0, task)
}

type Task = { readonly points: Points; readonly sums: PointSums; readonly furthest: Int32Array }

function choosePolygonFrom(start: number, { points, sums, furthest }: Task): number[] {
  const count = furthest.length
  const last = lastReached(furthest, start)
  const ahead = maxPositions(last)
  const behind = earliestLast(last, ahead.length)
  // For each position reached with the current number of segments: the minimum penalty, and the start of its
  // last segment.
  let penalties = new Map<number, number>([[0, 0]])
  const origins: Map<number, number>[] = []
  for (let layer = 1; layer < ahead.length; layer++) {
    const next = new Map<number, number>()
    const origin = new Map<number, number>()
    for (let to = behind[layer] ?? 0; to <= (ahead[layer] ?? 0); to++) {
      let best = Number.POSITIVE_INFINITY
      for (const [from, soFar] of penalties) {
        if (from >= to || (last[from] ?? 0) < to) continue
        const penalty = soFar + penaltyOf(points, sums, start + from, start + to)
        if (penalty >= best) continue
        best = penalty
        origin.set(to, from)
      }
      if (best < Number.POSITIVE_INFINITY) next.set(to, best)
    }
    penalties = next
    origins.push(origin)
  }
  const vertices: number[] = []
  let at = count
  for (const origin of origins.toReversed()) {
    at = origin.get(at) ?? 0
    vertices.push((start + at) % count)
  }
  return vertices.sort((one, other) => one - other)
}

/** The last position, at most `count`, that a segment from each position can reach, relative to `start`. */
function lastReached(furthest: Int32Array, start: number): Int32Array {
  const count = furthest.length
  const last = new Int32Array(count)
  for (let from = 0; from < count; from++) {
    // A segment is possible if the stretch is straight when extended by one point at both ends.
    const before = (start + from + count - 1) % count
    const steps = (furthest[before] ?? 0) - before - 2
    last[from] = Math.min(count, from + Math.max(1, steps))
  }
  return last
}

/** The maximum positions that 0, 1, 2 and more segments from the start can reach, until the end. */
function maxPositions(last: Int32Array): number[] {
  const ahead = [0]
  for (let at = 0; at < last.length; ) {
    at = last[at] ?? last.length
    ahead.push(at)
  }
  return ahead
}

/** The earliest position for each segment from which the remaining segments still reach the end. */
function earliestLast(last: Int32Array, length: number): number[] {
  const behind = new Array<number>(length).fill(0)
  let at = last.length
  for (let layer = length - 1; layer > 0; layer--) {
    behind[layer] = at
    let from = at - 1
    while (from > 0 && (last[from - 1] ?? 0) >= at) from -= 1
    at = from
  }
  return behind
}

/** The error of approximating the points between two points by a straight line. */
function penaltyOf({ xs, ys }: Points, sums: PointSums, from: number, to: number): number {
  const count = sums.count
  const base = from - (from % count)
  const [first, last] = [from - base, to - base]
  const moments = sums.between(first, last)
  const [x0, y0] = [xs[first] ?? 0, ys[first] ?? 0]
  const [x1, y1] = [xs[last % count] ?? 0, ys[last % count] ?? 0]
  const [dx, dy] = [x1 - x0, y1 - y0]
  const [midX, midY] = [(x0 + x1) / 2, (y0 + y1) / 2]
  const xx = moments.xx - 2 * moments.x * midX + midX * midX
  const xy = moments.xy - moments.x * midY - moments.y * midX + midX * midY
  const yy = moments.yy - 2 * moments.y * midY + midY * midY
  return Math.sqrt(Math.max(0, xx * dy * dy - 2 * xy * dx * dy + yy * dx * dx))
}
