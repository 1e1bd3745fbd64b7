import { findSpecks, type Mask } from './find-specks.ts'
import { type Area, type GrayImage, heightOf, widthOf } from './gray-image.ts'

/** Half the side of the square whose mean decides what is dark, in pixels. */
const RADIUS = 20
/** How much darker than its surroundings ink is; of Sauvola's method, for which 0.2 to 0.5 is usual. */
const SHARE = 0.22
const RANGE = 128
/** A dark background of light text has at least these sides, fills so much of them, and so much of their edges. */
const MIN_PANEL_WIDTH = 24
const MIN_PANEL_HEIGHT = 14
const MIN_FILLED = 0.5
const MIN_EDGE = 0.85

/**
 * Turns light text on dark backgrounds into dark text on light ones.
 * @returns the backgrounds that were turned
 */
export function turnPanels(image: GrayImage): {
  readonly image: GrayImage
  readonly panels: readonly Area[]
} {
  const { width, height } = image
  const limit = thresholdOf(image)
  const mask = { width, height, pixels: image.pixels.map((value) => (value < limit ? 1 : 0)) }
  const panels = findSpecks(mask).filter(
    (speck) =>
      widthOf(speck) >= MIN_PANEL_WIDTH &&
      heightOf(speck) >= MIN_PANEL_HEIGHT &&
      speck.pixels >= MIN_FILLED * widthOf(speck) * heightOf(speck) &&
      edgeShareOf(mask, speck) >= MIN_EDGE,
  )
  if (panels.length === 0) return { image, panels }
  const pixels = Uint8Array.from(image.pixels)
  for (const { left, top, right, bottom } of panels)
    for (let y = top; y < bottom; y += 1)
      for (let x = left; x < right; x += 1) pixels[y * width + x] = 255 - (image.pixels[y * width + x] ?? 0)
  return { image: { pixels, width, height }, panels }
}

/** Share of the edges of an area that a mask fills: a letter does not fill its own. */
function edgeShareOf({ pixels, width }: Mask, { left, top, right, bottom }: Area): number {
  let filled = 0
  for (let x = left; x < right; x += 1)
    for (const y of [top + 1, bottom - 2]) filled += pixels[y * width + x] ?? 0
  for (let y = top; y < bottom; y += 1)
    for (const x of [left + 1, right - 2]) filled += pixels[y * width + x] ?? 0
  return filled / (2 * (right - left) + 2 * (bottom - top))
}

/** Otsu's threshold: the value that separates dark pixels from light ones best. */
function thresholdOf({ pixels }: GrayImage): number {
  const counts = new Uint32Array(256)
  for (const value of pixels) counts[value] = (counts[value] ?? 0) + 1
  const sum = counts.reduce((total, count, value) => total + count * value, 0)
  let [best, limit, dark, darkSum] = [-1, 128, 0, 0]
  for (let value = 0; value < 255; value += 1) {
    dark += counts[value] ?? 0
    darkSum += value * (counts[value] ?? 0)
    const light = pixels.length - dark
    if (dark === 0 || light === 0) continue
    const between = dark * light * (darkSum / dark - (sum - darkSum) / light) ** 2
    if (between > best) [best, limit] = [between, value + 1]
  }
  return limit
}

/** The pixels that are darker than their surroundings (J. Sauvola and M. Pietikäinen, 2000). */
export function findInk({ pixels, width, height }: GrayImage): Mask {
  const columns = width + 1
  const sums = new Float64Array(columns * (height + 1))
  const squares = new Float64Array(columns * (height + 1))
  for (let y = 0; y < height; y += 1) {
    let [sum, square] = [0, 0]
    for (let x = 0; x < width; x += 1) {
      const value = pixels[y * width + x] ?? 0
      sum += value
      square += value * value
      const at = (y + 1) * columns + x + 1
      sums[at] = (sums[at - columns] ?? 0) + sum
      squares[at] = (squares[at - columns] ?? 0) + square
    }
  }
  const ink = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) {
    const [top, bottom] = [Math.max(0, y - RADIUS) * columns, Math.min(height, y + RADIUS + 1) * columns]
    for (let x = 0; x < width; x += 1) {
      const [left, right] = [Math.max(0, x - RADIUS), Math.min(width, x + RADIUS + 1)]
      const count = ((bottom - top) / columns) * (right - left)
      const over = (table: Float64Array) =>
        (table[bottom + right] ?? 0) -
        (table[bottom + left] ?? 0) -
        (table[top + right] ?? 0) +
        (table[top + left] ?? 0)
      const mean = over(sums) / count
      const deviation = Math.sqrt(Math.max(0, over(squares) / count - mean * mean))
      if ((pixels[y * width + x] ?? 0) < mean * (1 + SHARE * (deviation / RANGE - 1))) ink[y * width + x] = 1
    }
  }
  return { pixels: ink, width, height }
}
