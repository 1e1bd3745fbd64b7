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
