import type { Rgb } from '../image.ts'
import { nearestTo, type Sample, type Samples } from './samples.ts'

/** If this share of a palette entry's pixels has exactly one colour, that colour is painted; otherwise their mean. */
const MIN_SHARE = 0.3
/** Maximum number of distinct colours counted per palette entry; only noise has more. */
const MAX_COUNTED = 4096

/**
 * Chooses the colours to paint with: the most frequent exact colour of each palette entry, so that a brand
 * colour stays exact. Half-transparent colours are painted as they look on white.
 * @param solid pixels to count, marked with 1
 */
export function choosePaints({ values }: Samples, solid: Uint8Array, palette: readonly Sample[]): Rgb[] {
  const counts = palette.map(() => new Map<number, number>())
  const totals = palette.map(() => 0)
  for (let pixel = 0; pixel < solid.length; pixel++) {
    if (solid[pixel] !== 1) continue
    const index = nearestTo(values, 4 * pixel, palette).index
    totals[index] = (totals[index] ?? 0) + 1
    const key = keyAt(values, 4 * pixel)
    const counted = counts[index]
    if (counted && (counted.has(key) || counted.size < MAX_COUNTED))
      counted.set(key, (counted.get(key) ?? 0) + 1)
  }
  return palette.map((colour, index) => {
    const [key, count] = [...(counts[index] ?? [])].reduce(
      (one, other) => (other[1] > one[1] ? other : one),
      [0, 0],
    )
    const isTypical = count > 0 && count >= (totals[index] ?? 0) * MIN_SHARE
    return overWhite(isTypical ? [key & 255, (key >> 8) & 255, (key >> 16) & 255, key >>> 24] : colour)
  })
}

function keyAt(values: Uint8Array, at: number): number {
  const [red = 0, green = 0, blue = 0, opacity = 0] = values.subarray(at, at + 4)
  return (red | (green << 8) | (blue << 16) | (opacity << 24)) >>> 0
}

function overWhite([red, green, blue, opacity]: Sample): Rgb {
  const channel = (value: number) => Math.min(255, Math.max(0, Math.round(value + 255 - opacity)))
  return [channel(red), channel(green), channel(blue)]
}
