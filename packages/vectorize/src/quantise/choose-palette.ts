import type { Rgb } from '../image.ts'
import { type Bin, countColours } from './histogram.ts'
import { choosePaints } from './paint-colours.ts'
import { CLEAR, distanceBetween, type Sample, type Samples } from './samples.ts'
import { findSolidPixels } from './solid-pixels.ts'
import { splitColours } from './split-colours.ts'
import { EXACT_MIXTURES, findUnexplained, JPEG_MIXTURES, leaveUnexplained } from './unexplained.ts'

export type Palette = {
  readonly colours: readonly Sample[]
  readonly paints: readonly Rgb[]
  /** Index of the transparent colour, which is not painted; -1 if there is none. */
  readonly clear: number
}

/** The colours of an image. */
export type Survey = {
  /** Pixels inside areas, marked with 1. */
  readonly solid: Uint8Array
  readonly everything: readonly Bin[]
  /** Colours of the solid pixels. */
  readonly inside: readonly Bin[]
  /** Whether the image has more colours than solid areas, like a photo. */
  readonly isPhoto: boolean
}

/** Palette indexes fit in a byte, together with one for transparency. */
export const MAX_COLOURS = 255
/** Limit if the caller sets none. */
const DEFAULT_MAX_COLOURS = 64
/** Minimum distance between the colours of two areas; JPEG noise stays below it. */
const TOLERANCE = 24
/** Minimum share of the solid pixels for a palette colour. */
const MIN_SHARE = 0.0002
const CLEAR_BELOW = 128

type Options = {
  /** Maximum number of painted colours; 0 chooses by the image. */
  readonly max: number
  /** If set, exactly these colours are painted. */
  readonly provided: readonly Rgb[] | null
  /** Whether hues along borders are blurred, as in a JPEG. */
  readonly isNoisy: boolean
}

/** Counts the colours of an image. */
export function surveyColours(samples: Samples): Survey {
  const solid = findSolidPixels(samples)
  const everything = countColours(samples, new Uint8Array(solid.length).fill(1))
  const inside = countColours(samples, solid)
  return { solid, everything, inside, isPhoto: looksLikePhoto(everything, inside) }
}

export function choosePalette(
  samples: Samples,
  survey: Survey,
  { max, provided, isNoisy }: Options,
): Palette {
  const { solid, everything, inside, isPhoto } = survey
  const limit = Math.min(MAX_COLOURS, max === 0 ? DEFAULT_MAX_COLOURS : max)
  const hasClear = everything.some(({ mean }) => mean[3] < CLEAR_BELOW)
  if (provided) {
    const colours = provided.map(([red, green, blue]): Sample => [red, green, blue, 255])
    return {
      colours: hasClear ? [...colours, CLEAR] : colours,
      paints: provided,
      clear: hasClear ? provided.length : -1,
    }
  }
  const room = limit + (hasClear ? 1 : 0)
  const split = splitColours(isPhoto || inside.length === 0 ? everything : inside, {
    max: room,
    tolerance: TOLERANCE,
    minShare: MIN_SHARE,
  })
  const colours = isPhoto ? split : withThinLines(split, everything, { room, isNoisy })
  const clear = colours.findIndex((colour) => colour[3] < CLEAR_BELOW)
  return { colours, paints: choosePaints(samples, solid, colours), clear }
}

/** Beyond this no colours of thin lines are added: every pair of colours would have to be tried for every pixel. */
const MAX_WITH_LINES = 24

function withThinLines(
  split: readonly Sample[],
  everything: readonly Bin[],
  { room, isNoisy }: { readonly room: number; readonly isNoisy: boolean },
): Sample[] {
  const colours = [...split]
  const all = weightOf(everything)
  const measure = isNoisy ? JPEG_MIXTURES : EXACT_MIXTURES
  let left = leaveUnexplained(everything, colours, measure)
  while (colours.length < Math.min(room, MAX_WITH_LINES)) {
    const colour = findUnexplained(left, colours, { all, measure })
    if (!colour) break
    colours.push(colour)
    left = leaveUnexplained(left, colours, measure)
  }
  return colours
}

/** An image with fewer distinct colours is not a photo. */
const MIN_PHOTO_COLOURS = 512
/** Palette size with which photos are told from drawings. */
const TRIED_COLOURS = 64

/** Whether few pixels are inside solid areas, or the areas have more colours than a drawing. */
function looksLikePhoto(everything: readonly Bin[], inside: readonly Bin[]): boolean {
  if (everything.length < MIN_PHOTO_COLOURS) return false
  const all = weightOf(everything)
  const solid = weightOf(inside)
  if (solid < all * 0.3) return true
  const tried = splitColours(inside, { max: TRIED_COLOURS, tolerance: TOLERANCE, minShare: MIN_SHARE })
  const far = inside.filter(({ mean }) =>
    tried.every((colour) => distanceBetween(mean, colour) > (TOLERANCE / 2) ** 2),
  )
  return weightOf(far) > solid * 0.05
}

function weightOf(bins: readonly Bin[]): number {
  return bins.reduce((sum, { weight }) => sum + weight, 0)
}
