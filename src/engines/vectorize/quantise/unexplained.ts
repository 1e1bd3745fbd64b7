import type { Bin } from './histogram.ts'
import { distanceBetween, type Sample } from './samples.ts'

/** A colour this near to a palette colour, or to a mixture of two, is explained. */
const NEAR = 28
/** A share of all pixels that may stay unexplained, and pixels at least. */
const MIN_SHARE = 0.0005
const MIN_PIXELS = 12

/** What palette colours, and mixtures of two of them, do not explain of some pixels. */
export function leaveUnexplained(bins: readonly Bin[], palette: readonly Sample[]): Bin[] {
  return bins.filter(({ mean }) => distanceToMixtures(mean, palette) > NEAR * NEAR)
}

/**
 * The colour most in need of a place in the palette. Lines too thin to have an inside show their colours so.
 * @param far the pixels that the palette does not explain
 * @param all how many pixels there are
 * @returns null when what is left is not worth a colour
 */
export function findUnexplained(far: readonly Bin[], palette: readonly Sample[], all: number): Sample | null {
  const weight = far.reduce((sum, bin) => sum + bin.weight, 0)
  if (weight < Math.max(MIN_PIXELS, all * MIN_SHARE)) return null
  // Mixtures lie between the colours that made them: the furthest that is no rarity is one of those.
  const ordered = far
    .map((bin) => ({ ...bin, off: distanceToMixtures(bin.mean, palette) }))
    .sort((one, other) => other.off - one.off)
  let passed = 0
  for (const bin of ordered) {
    passed += bin.weight
    if (passed >= weight * RARITY) return bin.mean
  }
  return null
}

/** Share of the unexplained pixels that may be further off than the chosen colour. */
const RARITY = 0.1

function distanceToMixtures(colour: Sample, palette: readonly Sample[]): number {
  let min = Number.POSITIVE_INFINITY
  for (const [at, one] of palette.entries()) {
    min = Math.min(min, distanceBetween(colour, one))
    for (const other of palette.slice(at + 1)) min = Math.min(min, distanceToWay(colour, one, other))
  }
  return min
}

/** Squared distance to the straight way between two colours. */
function distanceToWay(colour: Sample, one: Sample, other: Sample): number {
  let [along, length] = [0, 0]
  for (let channel = 0; channel < 4; channel++) {
    const way = (other[channel] ?? 0) - (one[channel] ?? 0)
    along += ((colour[channel] ?? 0) - (one[channel] ?? 0)) * way
    length += way * way
  }
  const share = length > 0 ? Math.min(1, Math.max(0, along / length)) : 0
  return [0, 1, 2, 3].reduce((sum, channel) => {
    const from = one[channel] ?? 0
    return sum + ((colour[channel] ?? 0) - from - share * ((other[channel] ?? 0) - from)) ** 2
  }, 0)
}
