import { nearestTo, type Sample, type Samples } from '../quantise/samples.ts'
import { type Borders, shareOf, sideOf } from './borders.ts'
import type { MixedPixels } from './mixed-pixels.ts'

/** A grid of cells with one palette index each; a pixel of the image is `scale` by `scale` cells. */
export type LabelMap = {
  readonly width: number
  readonly height: number
  readonly scale: number
  readonly labels: Uint8Array
}

/** Divides each pixel into `scale` by `scale` cells, each with the colour on its side of the border. */
export function supersample(pixels: MixedPixels, borders: Borders, scale: number): LabelMap {
  const { width, height, main, other } = pixels
  const cellsWide = width * scale
  const labels = new Uint8Array(cellsWide * height * scale)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      const label = main[at] ?? 0
      const corner = y * scale * cellsWide + x * scale
      if (other[at] === label) {
        for (let row = 0; row < scale; row++)
          labels.fill(label, corner + row * cellsWide, corner + row * cellsWide + scale)
        continue
      }
      for (let row = 0; row < scale; row++)
        for (let column = 0; column < scale; column++) {
          const [dx, dy] = [(column + 0.5) / scale - 0.5, (row + 0.5) / scale - 0.5]
          const isMain = isOnMainSide(pixels, borders, x, y, dx, dy)
          labels[corner + row * cellsWide + column] = isMain ? label : (other[at] ?? 0)
        }
    }
  }
  return { width: cellsWide, height: height * scale, scale, labels }
}

/** @param dx and dy relative to the pixel's centre, -0.5 to 0.5 */
function isOnMainSide(
  pixels: MixedPixels,
  borders: Borders,
  x: number,
  y: number,
  dx: number,
  dy: number,
): boolean {
  const at = y * pixels.width + x
  const side = sideOf(borders, at, dx, dy)
  if (side) return side.distance >= 0
  // Without a border direction, shares are interpolated linearly between pixels.
  const label = pixels.main[at] ?? 0
  const [sideX, sideY] = [dx < 0 ? -1 : 1, dy < 0 ? -1 : 1]
  const [alongX, alongY] = [Math.abs(dx), Math.abs(dy)]
  const part = (stepX: number, stepY: number) => shareOf(pixels, x + stepX * sideX, y + stepY * sideY, label)
  const near = part(0, 0) * (1 - alongX) + part(1, 0) * alongX
  const far = part(0, 1) * (1 - alongX) + part(1, 1) * alongX
  return near * (1 - alongY) + far * alongY >= 0.5
}

/** Assigns the nearest palette colour to each pixel of a photo, at five bits per channel. */
export function labelPhoto({ width, height, values }: Samples, palette: readonly Sample[]): LabelMap {
  const known = new Int16Array(1 << 17).fill(-1)
  const labels = new Uint8Array(width * height)
  for (let pixel = 0; pixel < labels.length; pixel++) {
    const [red, green, blue] = [
      values[4 * pixel] ?? 0,
      values[4 * pixel + 1] ?? 0,
      values[4 * pixel + 2] ?? 0,
    ]
    const opacity = values[4 * pixel + 3] ?? 0
    const key = ((red >> 3) << 12) | ((green >> 3) << 7) | ((blue >> 3) << 2) | (opacity >> 6)
    let label = known[key] ?? -1
    if (label < 0) {
      const colour = [(red & 0xf8) + 4, (green & 0xf8) + 4, (blue & 0xf8) + 4, opacity]
      label = nearestTo(colour, 0, palette).index
      known[key] = label
    }
    labels[pixel] = label
  }
  return { width, height, scale: 1, labels }
}
