import type { Contour, Point, Segment } from '../image.ts'
import { findTurns, type Turn } from './corners.ts'
import { joinCurves } from './join-curves.ts'
import type { Outline } from './outline.ts'
import { type PointSums, type Points, sumPoints } from './points.ts'
import { choosePolygon } from './polygon.ts'
import { findStraights } from './straight.ts'
import { adjustVertices } from './vertices.ts'

export type TraceOptions = {
  /**
   * Width of the square that the outline may pass through, in pixels of the outline; 1 in Selinger's paper.
   */
  readonly unit: number
  /** Maximum distance between curves and the points of the outline, in pixels of the outline. */
  readonly tolerance: number
}

/**
 * Converts an outline to lines and curves (Selinger, section 2).
 * @param points the real border, one point for each corner of the outline
 */
export function traceOutline(
  outline: Outline,
  points: Points,
  { unit, tolerance }: TraceOptions,
): Contour | null {
  const sums = sumPoints(points)
  const polygon = choosePolygon(points, sums, findStraights(outline, unit))
  if (polygon.length < 3) return null
  const turns = findTurns(adjustVertices(points, sums, polygon, unit), unit)
  const positions = polygon.map((position, at) => {
    const next = polygon[at + 1] ?? (polygon[0] ?? 0) + sums.count
    return Math.round((position + next) / 2)
  })
  return drawTurns(centreMiddles(turns, positions, polygon, sums), positions, points, tolerance)
}

/**
 * Between smooth turns, moves the midpoints from the sides, which cut curves short, onto the outline: to the
 * mean of the points in the middle third of the side.
 */
function centreMiddles(
  turns: readonly Turn[],
  positions: readonly number[],
  polygon: readonly number[],
  sums: PointSums,
): Turn[] {
  return turns.map((turn, at) => {
    const next = turns[(at + 1) % turns.length]
    const position = positions[at] ?? 0
    const reach = Math.floor((position - (polygon[at] ?? 0)) / 3)
    if (!next || turn.isCorner || next.isCorner || reach < 1) return turn
    const { x, y } = sums.between(position - reach, position + reach)
    const along = direction(turn.vertex, next.vertex)
    const off = (x - turn.middle.x) * -along.y + (y - turn.middle.y) * along.x
    return { ...turn, middle: { x: turn.middle.x - off * along.y, y: turn.middle.y + off * along.x } }
  })
}

/** @param positions outline positions of the turns' midpoints */
function drawTurns(
  turns: readonly Turn[],
  positions: readonly number[],
  points: Points,
  tolerance: number,
): Contour {
  const count = turns.length
  const first = Math.max(
    0,
    turns.findIndex(({ isCorner }) => isCorner),
  )
  const turnAt = (at: number) => turns[(first + at) % count] as Turn
  const stopAt = (at: number) => {
    const turn = turnAt(at)
    const lap = Math.floor((first + at) / count) * points.xs.length
    return {
      place: turn.middle,
      heading: direction(turn.vertex, turnAt(at + 1).vertex),
      position: (positions[(first + at) % count] ?? 0) + lap,
    }
  }
  const segments: Segment[] = []
  let at = 0
  // The walk starts after the first corner, or anywhere if there is none, and ends at its start.
  const isRound = !turnAt(0).isCorner
  const start = isRound ? turnAt(count - 1).middle : turnAt(0).vertex
  if (!isRound) at = 1
  while (at < count) {
    if (turnAt(at).isCorner) {
      segments.push({ kind: 'line', to: turnAt(at).vertex })
      at += 1
      continue
    }
    let end = at
    while (end < count && !turnAt(end).isCorner) end += 1
    const stops = Array.from({ length: end - at + 1 }, (_, step) => stopAt(at - 1 + step + count))
    const smooth = Array.from({ length: end - at }, (_, step) => turnAt(at + step))
    if (!isRound) segments.push({ kind: 'line', to: turnAt(at - 1).middle })
    segments.push(...joinCurves(smooth, stops, points, tolerance))
    at = end
  }
  if (!isRound) segments.push({ kind: 'line', to: start })
  return { start, segments }
}

function direction(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  return length > 0 ? { x: (to.x - from.x) / length, y: (to.y - from.y) / length } : { x: 1, y: 0 }
}
