import type { Rgb } from '../image.ts'

/** Colours 1 to 9 of the AutoCAD Color Index. */
const NAMED: readonly Rgb[] = [
  [255, 0, 0],
  [255, 255, 0],
  [0, 255, 0],
  [0, 255, 255],
  [0, 0, 255],
  [255, 0, 255],
  [255, 255, 255],
  [128, 128, 128],
  [192, 192, 192],
]
/** Brightness of the five steps of each hue from 10 to 249; odd numbers are half as saturated. */
const STEPS = [255, 165, 127, 76, 38]
/** Greys 250 to 255. */
const GREYS = [51, 91, 132, 173, 214, 255]

/**
 * The nearest colour of the AutoCAD Color Index (1 to 255). Black is drawn as 7, which adapts to the
 * background.
 */
export function nearestColourIndex(colour: Rgb): number {
  if (Math.max(...colour) < BLACK_BELOW) return 7
  let [index, min] = [7, Number.POSITIVE_INFINITY]
  for (let candidate = 1; candidate <= 255; candidate++) {
    const [red, green, blue] = indexedColour(candidate)
    const distance = (red - colour[0]) ** 2 + (green - colour[1]) ** 2 + (blue - colour[2]) ** 2
    if (distance < min) [min, index] = [distance, candidate]
  }
  return index
}

/** Darker colours look black on paper. */
const BLACK_BELOW = 20

function indexedColour(index: number): Rgb {
  const named = NAMED[index - 1]
  if (named) return named
  if (index >= 250) {
    const grey = GREYS[index - 250] ?? 255
    return [grey, grey, grey]
  }
  const high = STEPS[Math.floor((index % 10) / 2)] ?? 255
  const low = index % 2 === 1 ? high / 2 : 0
  // 24 hues, 15 degrees apart.
  const hue = (Math.floor(index / 10) - 1) / 4
  const channel = (shift: number) => {
    const away = Math.abs(((hue + shift) % 6) - 3)
    return low + (high - low) * Math.min(1, Math.max(0, away - 1))
  }
  return [channel(0), channel(4), channel(2)]
}
