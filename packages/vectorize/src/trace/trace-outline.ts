import type { Contour, Point, Segment } from '../image.ts'
import { findTurns, type Turn } from './corners.ts'
import { joinCurves } from './join-curves.ts'
import type { Outline } from './outline.ts'
import { type Moments, type PointSums, type Points, sumPoints } from './points.ts'
import { choosePolygon } from './polygon.ts'
import { findStraights } from './straight.ts'

/** Squared distance to a straight line, as a function of (x, y, 1): the six entries of a symmetric matrix. */
type Form = { xx: number; xy: number; yy: number; x: number; y: number; one: number }

/**
 * Converts an outline to lines and curves (Selinger, section 2).
 * @param points the real border, one point for each corner of the outline
 * @param tolerance maximum distance between curves and the points of the outline, in pixels of the outline
 */
export function traceOutline(outline: Outline, points: Points, tolerance: number): Contour | null {
  const sums = sumPoints(points)
  const polygon = choosePolygon(points, sums, findStraights(outline))
  if (polygon.length < 3) return null
  const turns = findTurns(adjustVertices(points, sums, polygon))
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

/**
 * Moves each vertex of a polygon to the point nearest to the best-fit lines of its two sides, within a square
 * around its original point (Selinger, section 2.3.1).
 */
function adjustVertices(points: Points, sums: PointSums, vertices: readonly number[]): Point[] {
  const forms = vertices.map((from, at) => {
    const next = vertices[(at + 1) % vertices.length] ?? 0
    return lineForm(sums.between(from, next <= from ? next + sums.count : next))
  })
  return vertices.map((position, at) => {
    const before = forms.at(at - 1)
    const after = forms[at]
    const centre = { x: points.xs[position] ?? 0, y: points.ys[position] ?? 0 }
    return before && after ? minInSquare(add(before, after), centre) : centre
  })
}

/** The line through the mean in the principal direction of the points. */
function lineForm({ n, x, y, xx, xy, yy }: Moments): Form {
  const [a, b, c] = [xx - x * x, xy - x * y, yy - y * y]
  if (n < 2 || a + c < 1e-12) return { xx: 0, xy: 0, yy: 0, x: 0, y: 0, one: 0 }
  const angle = Math.atan2(2 * b, a - c) / 2
  const [normalX, normalY] = [-Math.sin(angle), Math.cos(angle)]
  const offset = -(normalX * x + normalY * y)
  return {
    xx: normalX * normalX,
    xy: normalX * normalY,
    yy: normalY * normalY,
    x: normalX * offset,
    y: normalY * offset,
    one: offset * offset,
  }
}

function add(one: Form, other: Form): Form {
  return {
    xx: one.xx + other.xx,
    xy: one.xy + other.xy,
    yy: one.yy + other.yy,
    x: one.x + other.x,
    y: one.y + other.y,
    one: one.one + other.one,
  }
}

/** Half the width of the square around a vertex, in pixels of the outline. */
const HALF_WIDTH = 1

function minInSquare(form: Form, centre: Point): Point {
  const determinant = form.xx * form.yy - form.xy * form.xy
  if (determinant > 1e-6) {
    const x = (-form.x * form.yy + form.y * form.xy) / determinant
    const y = (form.x * form.xy - form.y * form.xx) / determinant
    if (Math.abs(x - centre.x) <= HALF_WIDTH && Math.abs(y - centre.y) <= HALF_WIDTH) return { x, y }
  }
  const sides = [centre, ...[-HALF_WIDTH, HALF_WIDTH].flatMap((by) => alongSides(form, centre, by))]
  return sides.reduce((best, point) => (valueAt(form, point) < valueAt(form, best) ? point : best))
}

/** The best points on the two edges of the square at a distance of `by` from the centre. */
function alongSides(form: Form, centre: Point, by: number): Point[] {
  const clamp = (value: number, middle: number) =>
    Math.min(middle + HALF_WIDTH, Math.max(middle - HALF_WIDTH, value))
  const x = centre.x + by
  const y = centre.y + by
  return [
    { x, y: form.yy > 1e-12 ? clamp(-(form.y + form.xy * x) / form.yy, centre.y) : centre.y },
    { x: form.xx > 1e-12 ? clamp(-(form.x + form.xy * y) / form.xx, centre.x) : centre.x, y },
  ]
}

function valueAt({ xx, xy, yy, x: fx, y: fy, one }: Form, { x, y }: Point): number {
  return xx * x * x + 2 * xy * x * y + yy * y * y + 2 * (fx * x + fy * y) + one
}
