import type { Point, Segment } from '../image.ts'
import { between, type Turn } from './corners.ts'
import { type Fit, fitCurve } from './fit-curve.ts'
import type { Points } from './points.ts'

/** A point on a smooth stretch where curves may start and end. */
type Stop = {
  readonly place: Point
  /** Direction of the outline there, a unit vector. */
  readonly heading: Point
  /** Index on the outline; continues past the end. */
  readonly position: number
}

/** Maximum number of turns that one curve may cover. */
const MAX_JOINED = 24
/** Maximum number of outline points that a curve is fitted to; more do not improve it. */
const MAX_SAMPLES = 24
/** Cosine of the maximum angle between the start and end directions of one curve. */
const MIN_COSINE = Math.cos((Math.PI * 100) / 180)

/**
 * Draws a smooth stretch with the minimum number of curves within a tolerance of the outline, and among those
 * with the minimum squared error: the optimisation of Selinger's section 2.4, but with curves fitted to the
 * points of the outline instead of curves of equal area.
 */
export function joinCurves(
  turns: readonly Turn[],
  stops: readonly Stop[],
  points: Points,
  tolerance: number,
): Segment[] {
  type Way = { readonly count: number; readonly error: number; readonly from: number; readonly fit: Fit }
  const ways: (Way | null)[] = [null]
  for (let to = 1; to < stops.length; to++) {
    let best: Way | null = null
    for (let from = to - 1; from >= Math.max(0, to - MAX_JOINED); from--) {
      const before = ways[from]
      const [start, end] = [stops[from], stops[to]]
      if (!start || !end) break
      const fit =
        fitBetween(start, end, points, tolerance) ??
        (from === to - 1
          ? { curve: alone(start.place, turns[from], end.place), error: tolerance ** 2 }
          : null)
      if (!fit) break
      const count = (before?.count ?? 0) + 1
      const error = (before?.error ?? 0) + fit.error
      if (!best || count < best.count || (count === best.count && error < best.error))
        best = { count, error, from, fit }
    }
    ways.push(best)
  }
  const segments: Segment[] = []
  for (let at = stops.length - 1; at > 0; ) {
    const way = ways[at]
    if (!way) break
    const { first, second, to } = way.fit.curve
    segments.push({ kind: 'curve', first, second, to })
    at = way.from
  }
  return segments.reverse()
}

function fitBetween(start: Stop, end: Stop, points: Points, tolerance: number): Fit | null {
  const cosine = start.heading.x * end.heading.x + start.heading.y * end.heading.y
  if (cosine < MIN_COSINE) return null
  const samples = pick(points, start.position, end.position)
  const task = { from: start.place, leaving: start.heading, to: end.place, arriving: end.heading, samples }
  return fitCurve(task, tolerance)
}

/** Evenly spaced points of the outline strictly between two positions. */
function pick({ xs, ys }: Points, from: number, to: number): Point[] {
  const inside = to - from - 1
  const count = Math.min(MAX_SAMPLES, inside)
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const position = (from + 1 + Math.floor(((at + 0.5) * inside) / count)) % xs.length
    return { x: xs[position] ?? 0, y: ys[position] ?? 0 }
  })
}

/** The curve of a single turn (Selinger, section 2.3.2). */
function alone(from: Point, turn: Turn | undefined, to: Point) {
  const vertex = turn?.vertex ?? from
  const tension = turn?.tension ?? 1
  return { from, first: between(from, vertex, tension), second: between(to, vertex, tension), to }
}
