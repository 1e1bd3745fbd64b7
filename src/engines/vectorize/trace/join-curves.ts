import type { Point, Segment } from '../picture.ts'
import { between, type Turn } from './corners.ts'
import { type Fit, fitCurve } from './fit-curve.ts'
import type { Points } from './points.ts'

/** A stretch of turns without a corner, as places where curves may begin and end. */
type Stop = {
  readonly place: Point
  /** The direction of the outline there, a unit vector. */
  readonly heading: Point
  /** Position on the outline, counted on past the end. */
  readonly position: number
}

/** Curves over more turns than this are not tried. */
const MAX_JOINED = 24
/** Enough to hold a curve to its outline. */
const MAX_SAMPLES = 24
/** Cosine of the sharpest turn, from one end to the other, that one curve takes. */
const MIN_COSINE = Math.cos((Math.PI * 100) / 180)

/**
 * Draws a stretch of smooth turns with as few curves as keep within a tolerance of the outline, and among those
 * with the least squared error: the optimisation of Selinger's section 2.4, with curves fitted to the points of
 * the outline in the place of curves of equal area.
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

/** Evenly chosen points of the outline strictly between two positions. */
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
