import type { MixedPixels } from './mixed-pixels.ts'

/**
 * The straight line that divides each mixed pixel: its main colour is where `normalX * x + normalY * y >=
 * offset`, with x and y relative to the pixel's centre. The normal has length 1, or is (0, 0) in pixels
 * without a line.
 */
export type Borders = {
  readonly normalX: Float32Array
  readonly normalY: Float32Array
  readonly offset: Float32Array
  /** For pixels with a corner, the second line. */
  readonly secondX: Float32Array
  readonly secondY: Float32Array
  readonly secondOffset: Float32Array
  /** 0: one line; 1: the main colour is on the positive side of both lines; 2: of either. */
  readonly join: Uint8Array
}

/**
 * The line of a pixel that decides on a point, and the signed distance of the point; positive is the main
 * colour's side.
 */
export type Side = { readonly x: number; readonly y: number; readonly distance: number }

/**
 * Determines on which side of a pixel's border a point lies; null if the pixel has no border.
 * @param dx and dy relative to the pixel's centre
 */
export function sideOf(borders: Borders, pixel: number, dx: number, dy: number): Side | null {
  const [x, y] = [borders.normalX[pixel] ?? 0, borders.normalY[pixel] ?? 0]
  if (x === 0 && y === 0) return null
  const first = { x, y, distance: x * dx + y * dy - (borders.offset[pixel] ?? 0) }
  const join = borders.join[pixel] ?? 0
  if (join === 0) return first
  const [secondX, secondY] = [borders.secondX[pixel] ?? 0, borders.secondY[pixel] ?? 0]
  const distance = secondX * dx + secondY * dy - (borders.secondOffset[pixel] ?? 0)
  const second = { x: secondX, y: secondY, distance }
  return first.distance < distance === (join === 1) ? first : second
}

/** For an image in which every pixel has a single colour. */
export const NO_BORDERS: Borders = Object.freeze(emptyBorders(0))

/** Below this gradient the neighbouring pixels do not show the direction of the border. */
const MIN_GRADIENT = 0.2

/**
 * Reconstructs borders from each pixel's colour shares: the normal is the gradient of the shares around it,
 * and the offset divides the pixel in the right proportion (piecewise linear interface calculation, D. L.
 * Youngs, "Time-dependent multi-material flow with large fluid distortion", 1982).
 */
export function findBorders(pixels: MixedPixels): Borders {
  const { width, height, main, other, share } = pixels
  const borders = emptyBorders(width * height)
  const { normalX, normalY, offset } = borders
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      const label = main[at] ?? 0
      if (other[at] === label) continue
      const part = (dx: number, dy: number) => shareOf(pixels, x + dx, y + dy, label)
      const [nw, n, ne] = [part(-1, -1), part(0, -1), part(1, -1)]
      const [w, e] = [part(-1, 0), part(1, 0)]
      const [sw, s, se] = [part(-1, 1), part(0, 1), part(1, 1)]
      const gx = ne + 2 * e + se - nw - 2 * w - sw
      const gy = sw + 2 * s + se - nw - 2 * n - ne
      const length = Math.hypot(gx, gy)
      if (length < MIN_GRADIENT) continue
      normalX[at] = gx / length
      normalY[at] = gy / length
      offset[at] = offsetFor(gx / length, gy / length, share[at] ?? 1)
    }
  }
  return borders
}

function emptyBorders(count: number): Borders {
  const [normalX, normalY, offset] = [
    new Float32Array(count),
    new Float32Array(count),
    new Float32Array(count),
  ]
  const [secondX, secondY] = [new Float32Array(count), new Float32Array(count)]
  const secondOffset = new Float32Array(count)
  return { normalX, normalY, offset, secondX, secondY, secondOffset, join: new Uint8Array(count) }
}

/** The share of a pixel that a colour covers; outside the image the nearest edge pixel is used. */
export function shareOf(
  { width, height, main, other, share }: MixedPixels,
  x: number,
  y: number,
  label: number,
): number {
  const column = Math.min(width - 1, Math.max(0, x))
  const at = Math.min(height - 1, Math.max(0, y)) * width + column
  if (main[at] === label) return share[at] ?? 1
  return other[at] === label ? 1 - (share[at] ?? 1) : 0
}

/**
 * The offset at which a line with this normal leaves `share` of the unit square, centred at the origin, on
 * its positive side.
 */
function offsetFor(normalX: number, normalY: number, share: number): number {
  const sum = Math.abs(normalX) + Math.abs(normalY)
  const small = Math.min(Math.abs(normalX), Math.abs(normalY)) / sum
  const depthOf = (part: number) => {
    const triangle = small / (2 * (1 - small))
    return part <= triangle ? Math.sqrt(2 * small * (1 - small) * part) : part * (1 - small) + small / 2
  }
  const depth = share <= 0.5 ? depthOf(share) : 1 - depthOf(1 - share)
  return (0.5 - depth) * sum
}
