import type { Point } from '../image.ts'

/** A vertex of the adjusted polygon, and the midpoint of the side that follows it. */
export type Turn = {
  readonly vertex: Point
  readonly middle: Point
  readonly isCorner: boolean
  /** Position of the control points between the side midpoints (0) and the vertex (1), 0.55 to 1. */
  readonly tension: number
}

/** Turns with a higher tension stay corners; 4/3 would round all of them (Selinger, section 2.3.3: his default). */
const MAX_CURVE_TENSION = 1
/** Below this, a curve would look too flat (same section). */
const MIN_TENSION = 0.55

/**
 * Distinguishes corners from curves (Selinger, sections 2.3.2 and 2.3.3): a curve touches the unit square
 * around the vertex; if that would put a control point beyond the vertex, it is a corner.
 */
export function findTurns(vertices: readonly Point[]): Turn[] {
  return vertices.map((vertex, at) => {
    const before = vertices.at(at - 1) ?? vertex
    const after = vertices[(at + 1) % vertices.length] ?? vertex
    const tension = tensionAt(between(before, vertex, 0.5), vertex, between(vertex, after, 0.5))
    return {
      vertex,
      middle: between(vertex, after, 0.5),
      isCorner: tension > MAX_CURVE_TENSION || isSquare(before, vertex, after),
      tension: Math.min(1, Math.max(MIN_TENSION, tension)),
    }
  })
}

/** A side shorter than this, in pixels of the outline, may be one step of a slope. */
const MIN_SIDE = 3
/** Maximum deviation of a horizontal or vertical side, relative to its length. */
const MAX_LEAN = 0.02

/** Whether one side is horizontal and the other vertical: such a corner is intended, even if the next one is near. */
function isSquare(before: Point, vertex: Point, after: Point): boolean {
  const [inX, inY] = [Math.abs(vertex.x - before.x), Math.abs(vertex.y - before.y)]
  const [outX, outY] = [Math.abs(after.x - vertex.x), Math.abs(after.y - vertex.y)]
  if (Math.max(inX, inY) < MIN_SIDE || Math.max(outX, outY) < MIN_SIDE) return false
  const isTurned = inX < MAX_LEAN * inY && outY < MAX_LEAN * outX
  return isTurned || (inY < MAX_LEAN * inX && outX < MAX_LEAN * outY)
}

function tensionAt(from: Point, vertex: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const width = Math.abs(dx) + Math.abs(dy)
  if (width < 1e-9) return 4 / 3
  const height = Math.abs(dx * (vertex.y - from.y) - dy * (vertex.x - from.x))
  const ratio = height / width
  return ratio > 1 ? ((1 - 1 / ratio) * 4) / 3 : 0
}

/** The point at `share` of the way between two points. */
export function between(from: Point, to: Point, share: number): Point {
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}
