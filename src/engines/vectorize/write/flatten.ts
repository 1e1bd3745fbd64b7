import type { Contour, Point, Segment } from '../picture.ts'

/**
 * The corners of a polygon that stays within `tolerance` of a contour; the last one is not the first again.
 */
export function flatten({ start, segments }: Contour, tolerance: number): Point[] {
  const corners = [start]
  let from = start
  for (const segment of segments) {
    if (segment.kind === 'curve') corners.push(...alongCurve(from, segment, tolerance))
    corners.push(segment.to)
    from = segment.to
  }
  const last = corners.at(-1)
  if (corners.length > 1 && last?.x === start.x && last.y === start.y) corners.pop()
  return corners
}

/**
 * Points inside a curve at equal parameter steps, as few as its second differences allow (T. Sederberg,
 * "Computer Aided Geometric Design", section 10.6).
 */
function alongCurve(
  from: Point,
  { first, second, to }: Extract<Segment, { kind: 'curve' }>,
  tolerance: number,
): Point[] {
  const bend = Math.max(
    Math.hypot(from.x - 2 * first.x + second.x, from.y - 2 * first.y + second.y),
    Math.hypot(first.x - 2 * second.x + to.x, first.y - 2 * second.y + to.y),
  )
  const parts = Math.max(1, Math.ceil(Math.sqrt((0.75 * bend) / tolerance)))
  return Array.from({ length: parts - 1 }, (_, at) => {
    const t = (at + 1) / parts
    const s = 1 - t
    const [w0, w1, w2, w3] = [s ** 3, 3 * s * s * t, 3 * s * t * t, t ** 3]
    return {
      x: w0 * from.x + w1 * first.x + w2 * second.x + w3 * to.x,
      y: w0 * from.y + w1 * first.y + w2 * second.y + w3 * to.y,
    }
  })
}
