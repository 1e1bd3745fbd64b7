import type { Sample, Samples } from './samples.ts'

/** A bin of similar colours: number of pixels and mean colour. */
export type Bin = { readonly weight: number; readonly mean: Sample }

/** Five bits per colour channel, two for opacity. */
const BINS = 1 << 17

/**
 * Computes a colour histogram.
 * @param weights weight of each pixel; 0 excludes it
 */
export function countColours({ values }: Samples, weights: Uint8Array): Bin[] {
  const sums = new Float64Array(BINS * 5)
  for (let pixel = 0; pixel < weights.length; pixel++) {
    const weight = weights[pixel] ?? 0
    if (weight === 0) continue
    const at = 4 * pixel
    const [red, green, blue] = [values[at] ?? 0, values[at + 1] ?? 0, values[at + 2] ?? 0]
    const opacity = values[at + 3] ?? 0
    const bin = ((red >> 3) << 12) | ((green >> 3) << 7) | ((blue >> 3) << 2) | (opacity >> 6)
    const row = 5 * bin
    sums[row] = (sums[row] ?? 0) + weight
    sums[row + 1] = (sums[row + 1] ?? 0) + weight * red
    sums[row + 2] = (sums[row + 2] ?? 0) + weight * green
    sums[row + 3] = (sums[row + 3] ?? 0) + weight * blue
    sums[row + 4] = (sums[row + 4] ?? 0) + weight * opacity
  }
  const bins: Bin[] = []
  for (let row = 0; row < sums.length; row += 5) {
    const weight = sums[row] ?? 0
    if (weight === 0) continue
    const mean = (column: number) => (sums[row + column] ?? 0) / weight
    bins.push({ weight, mean: [mean(1), mean(2), mean(3), mean(4)] })
  }
  return bins
}
