import type { Outline } from '../trace/outline.ts'
import type { Points } from '../trace/points.ts'
import { type Borders, sideOf } from './borders.ts'

/** Maximum distance, in cells, at which an outline follows the border of a pixel. */
const MAX_DISTANCE = 1.2

/**
 * Moves the points of an outline from cell corners onto the borders through the surrounding pixels.
 * @param place size of the image in pixels, cells per pixel, and the outline's origin in cells
 */
export function findTruePoints(
  { xs, ys }: Outline,
  borders: Borders,
  place: {
    readonly width: number
    readonly height: number
    readonly scale: number
    readonly left: number
    readonly top: number
  },
): Points {
  const { width, height, scale, left, top } = place
  const points = { xs: Float64Array.from(xs), ys: Float64Array.from(ys) }
  for (let at = 0; at < xs.length; at++) {
    const [x, y] = [((xs[at] ?? 0) + left) / scale, ((ys[at] ?? 0) + top) / scale]
    const [lastX, lastY] = [Math.floor(x), Math.floor(y)]
    const [firstX, firstY] = [Math.ceil(x) - 1, Math.ceil(y) - 1]
    let [moveX, moveY, count] = [0, 0, 0]
    for (let row = Math.max(0, firstY); row <= Math.min(height - 1, lastY); row++)
      for (let column = Math.max(0, firstX); column <= Math.min(width - 1, lastX); column++) {
        const side = sideOf(borders, row * width + column, x - column - 0.5, y - row - 0.5)
        if (!side || Math.abs(side.distance * scale) > MAX_DISTANCE) continue
        moveX -= side.distance * scale * side.x
        moveY -= side.distance * scale * side.y
        count += 1
      }
    if (count === 0) continue
    points.xs[at] = (points.xs[at] ?? 0) + moveX / count
    points.ys[at] = (points.ys[at] ?? 0) + moveY / count
  }
  return points
}
