import type { Point } from '../picture.ts'

/** A vertex of the adjusted polygon, and the middle of the side that leads on from it. */
export type Turn = {
  readonly vertex: Point
  readonly middle: Point
  readonly isCorner: boolean
  /** How far the control points stand on the way from the middles of the sides to the vertex, 0.55 to 1. */
  readonly tension: number
}

/** Sharper turns stay corners; 4/3 would round every one (Selinger, section 2.3.3: his default). */
const SHARPEST_TENSION = 1
/** Below, a curve would be flatter than it looks (the same section). */
const MIN_TENSION = 0.55

/**
 * Tells corners from curves (Selinger, sections 2.3.2 and 2.3.3): a curve is the one that touches the square
 * around the vertex; where that takes a control point beyond the vertex, there is a corner.
 * @param unit width of the square, in the coordinates of the vertices
 */
export function findTurns(vertices: readonly Point[], unit: number): Turn[] {
  return vertices.map((vertex, at) => {
    const before = vertices.at(at - 1) ?? vertex
    const after = vertices[(at + 1) % vertices.length] ?? vertex
    const tension = tensionAt(between(before, vertex, 0.5), vertex, between(vertex, after, 0.5), unit)
    return {
      vertex,
      middle: between(vertex, after, 0.5),
      isCorner: tension > SHARPEST_TENSION || isSquare(before, vertex, after, unit),
      tension: Math.min(1, Math.max(MIN_TENSION, tension)),
    }
  })
}

/** A side shorter than this may be one of a slope's steps, in units. */
const MIN_SIDE = 3
/** How far a side may lean and still be level or upright, in its length. */
const MIN_LEAN = 0.02

/** Whether one side is level and the other upright: a corner that was drawn as such, however near the next one is. */
function isSquare(before: Point, vertex: Point, after: Point, unit: number): boolean {
  const [inX, inY] = [Math.abs(vertex.x - before.x), Math.abs(vertex.y - before.y)]
  const [outX, outY] = [Math.abs(after.x - vertex.x), Math.abs(after.y - vertex.y)]
  if (Math.max(inX, inY) < MIN_SIDE * unit || Math.max(outX, outY) < MIN_SIDE * unit) return false
  const isTurned = inX < MIN_LEAN * inY && outY < MIN_LEAN * outX
  return isTurned || (inY < MIN_LEAN * inX && outX < MIN_LEAN * outY)
}

function tensionAt(from: Point, vertex: Point, to: Point, unit: number): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const width = (Math.abs(dx) + Math.abs(dy)) * unit
  if (width < 1e-9) return 4 / 3
  const height = Math.abs(dx * (vertex.y - from.y) - dy * (vertex.x - from.x))
  const ratio = height / width
  return ratio > 1 ? ((1 - 1 / ratio) * 4) / 3 : 0
}

/** The point at `share` of the way from one to another. */
export function between(from: Point, to: Point, share: number): Point {
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}
