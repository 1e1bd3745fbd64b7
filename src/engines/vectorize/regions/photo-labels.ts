import { CLEAR, distanceBetween, type Sample, type Samples } from '../quantise/samples.ts'
import type { LabelMap } from './label-map.ts'

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
      label = nearest([(red & 0xf8) + 4, (green & 0xf8) + 4, (blue & 0xf8) + 4, opacity], palette)
      known[key] = label
    }
    labels[pixel] = label
  }
  return { width, height, scale: 1, labels }
}

function nearest(colour: Sample, palette: readonly Sample[]): number {
  let [index, min] = [0, Number.POSITIVE_INFINITY]
  for (let candidate = 0; candidate < palette.length; candidate++) {
    const distance = distanceBetween(colour, palette[candidate] ?? CLEAR)
    if (distance < min) [min, index] = [distance, candidate]
  }
  return index
}
