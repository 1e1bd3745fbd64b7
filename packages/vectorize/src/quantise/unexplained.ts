import type { Bin } from './histogram.ts'
import { brightnessOf, distanceBetween, type Sample } from './samples.ts'

export type MixtureMeasure = {
  /** A colour within this distance of a palette colour, or of a mixture of two, is explained. */
  readonly maxDistance: number
  /** Squared distance between a colour and the mixtures of two others. */
  readonly distance: (colour: Sample, one: Sample, other: Sample) => number
}

export const EXACT_MIXTURES: MixtureMeasure = { maxDistance: 28, distance: distanceToWay }

/** Hue and brightness are mixed apart: JPEG blurs hues over borders, and brightness overshoots at them. */
export const JPEG_MIXTURES: MixtureMeasure = { maxDistance: 40, distance: distanceApart }
/** How far brightness overshoots, up to quality 40. */
const MAX_OVERSHOOT = 40

/** Below this share of all pixels, or this number of them, pixels may stay unexplained. */
const MIN_SHARE = 0.0005
const MIN_PIXELS = 12

/** Filters the colours that are neither palette colours nor mixtures of two of them. */
export function leaveUnexplained(
  bins: readonly Bin[],
  palette: readonly Sample[],
  measure: MixtureMeasure,
): Bin[] {
  return bins.filter(({ mean }) => distanceToMixtures(mean, palette, measure) > measure.maxDistance ** 2)
}

/**
 * Finds the colour that the palette most needs to add. Lines too thin to have an interior reveal their
 * colours this way.
 * @param far the pixels that the palette does not explain
 * @param all number of pixels in the image
 * @returns null if too few pixels are unexplained
 */
export function findUnexplained(
  far: readonly Bin[],
  palette: readonly Sample[],
  { all, measure }: { readonly all: number; readonly measure: MixtureMeasure },
): Sample | null {
  const weight = far.reduce((sum, bin) => sum + bin.weight, 0)
  if (weight < Math.max(MIN_PIXELS, all * MIN_SHARE)) return null
  // A mixture lies between its two colours, so the furthest colour that is not rare is one of them.
  const ordered = far
    .map((bin) => ({ ...bin, off: distanceToMixtures(bin.mean, palette, measure) }))
    .sort((one, other) => other.off - one.off)
  let passed = 0
  for (const bin of ordered) {
    passed += bin.weight
    if (passed >= weight * RARE_SHARE) return bin.mean
  }
  return null
}

/** Share of the unexplained pixels that may be further off than the chosen colour. */
const RARE_SHARE = 0.1

function distanceToMixtures(
  colour: Sample,
  palette: readonly Sample[],
  { distance }: MixtureMeasure,
): number {
  let min = Number.POSITIVE_INFINITY
  for (const [at, one] of palette.entries()) {
    min = Math.min(min, distanceBetween(colour, one))
    for (const other of palette.slice(at + 1)) min = Math.min(min, distance(colour, one, other))
  }
  return min
}

/** Squared distance to the line segment between two colours. */
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

function distanceApart(colour: Sample, one: Sample, other: Sample): number {
  const [low = 0, high = 0] = [brightnessOf(one), brightnessOf(other)].sort((a, b) => a - b)
  const brightness = brightnessOf(colour)
  const excess = Math.max(0, low - MAX_OVERSHOOT - brightness, brightness - high - MAX_OVERSHOOT)
  // A difference of brightness is one of all three channels.
  return distanceToWay(hueOf(colour), hueOf(one), hueOf(other)) + 3 * excess ** 2
}

function hueOf(colour: Sample): Sample {
  const brightness = brightnessOf(colour)
  return [colour[0] - brightness, colour[1] - brightness, colour[2] - brightness, colour[3]]
}
