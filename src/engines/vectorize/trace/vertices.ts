import type { Point } from '../image.ts'
import type { Moments, PointSums, Points } from './points.ts'

/** Squared distance to a straight line, as a function of (x, y, 1): the six entries of a symmetric matrix. */
type Form = { xx: number; xy: number; yy: number; x: number; y: number; one: number }

/**
 * Moves each vertex of a polygon to the point nearest to the best-fit lines of its two sides, within a square
 * around its original point (Selinger, section 2.3.1).
 * @param halfWidth of that square
 */
export function adjustVertices(
  points: Points,
  sums: PointSums,
  vertices: readonly number[],
  halfWidth: number,
): Point[] {
  const forms = vertices.map((from, at) => {
    const next = vertices[(at + 1) % vertices.length] ?? 0
    return lineForm(sums.between(from, next <= from ? next + sums.count : next))
  })
  return vertices.map((position, at) => {
    const before = forms.at(at - 1)
    const after = forms[at]
    const centre = { x: points.xs[position] ?? 0, y: points.ys[position] ?? 0 }
    return before && after ? minInSquare(add(before, after), centre, halfWidth) : centre
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

function minInSquare(form: Form, centre: Point, halfWidth: number): Point {
  const determinant = form.xx * form.yy - form.xy * form.xy
  if (determinant > 1e-6) {
    const x = (-form.x * form.yy + form.y * form.xy) / determinant
    const y = (form.x * form.xy - form.y * form.xx) / determinant
    if (Math.abs(x - centre.x) <= halfWidth && Math.abs(y - centre.y) <= halfWidth) return { x, y }
  }
  const sides = [centre, ...[-halfWidth, halfWidth].flatMap((by) => alongSides(form, centre, by, halfWidth))]
  return sides.reduce((best, point) => (valueAt(form, point) < valueAt(form, best) ? point : best))
}

/** The best points on the two edges of the square at a distance of `by` from the centre. */
function alongSides(form: Form, centre: Point, by: number, halfWidth: number): Point[] {
  const clamp = (value: number, middle: number) =>
    Math.min(middle + halfWidth, Math.max(middle - halfWidth, value))
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
