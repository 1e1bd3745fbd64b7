import type { Rgb } from '../picture.ts'
import { type Bin, countColours } from './histogram.ts'
import { choosePaints } from './paint-colours.ts'
import { CLEAR, distanceBetween, type Sample, type Samples } from './samples.ts'
import { splitColours } from './split-colours.ts'
import { findUnexplained, leaveUnexplained } from './unexplained.ts'

export type Palette = {
  readonly colours: readonly Sample[]
  /** The colour to paint with, for each palette colour. */
  readonly paints: readonly Rgb[]
  /** Index of the transparent colour, which is not painted; -1 if there is none. */
  readonly clear: number
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
  readonly given: readonly Rgb[] | null
}

/** Neighbours whose channels differ by at most this have the same colour, allowing for JPEG noise. */
const MAX_DIFFERENCE = 6
const STEPS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const

/** Chooses the palette of an image. */
export function choosePalette(samples: Samples, { max, given }: Options): Palette {
  const solid = findSolidPixels(samples)
  const limit = Math.min(MAX_COLOURS, max === 0 ? DEFAULT_MAX_COLOURS : max)
  const everything = countColours(samples, new Uint8Array(solid.length).fill(1))
  const hasClear = everything.some(({ mean }) => mean[3] < CLEAR_BELOW)
  const inside = countColours(samples, solid)
  const isPhoto = looksLikePhoto(everything, inside)
  if (given) {
    const colours = given.map(([red, green, blue]): Sample => [red, green, blue, 255])
    return {
      colours: hasClear ? [...colours, CLEAR] : colours,
      paints: given,
      clear: hasClear ? given.length : -1,
      isPhoto,
    }
  }
  const room = limit + (hasClear ? 1 : 0)
  const split = splitColours(isPhoto || inside.length === 0 ? everything : inside, {
    max: room,
    tolerance: TOLERANCE,
    minShare: MIN_SHARE,
  })
  const colours = isPhoto ? split : withThinLines(split, everything, room)
  const clear = colours.findIndex((colour) => colour[3] < CLEAR_BELOW)
  return { colours, paints: choosePaints(samples, solid, colours), clear, isPhoto }
}

/**
 * Beyond this no colours of thin lines are added: every pair of colours would have to be tried for every
 * pixel.
 */
const MAX_WITH_LINES = 24

function withThinLines(split: readonly Sample[], everything: readonly Bin[], room: number): Sample[] {
  const colours = [...split]
  const all = weightOf(everything)
  let left = leaveUnexplained(everything, colours)
  while (colours.length < Math.min(room, MAX_WITH_LINES)) {
    const colour = findUnexplained(left, colours, all)
    if (!colour) break
    colours.push(colour)
    left = leaveUnexplained(left, colours)
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

/** Marks with 1 the pixels that look like their four neighbours: those inside areas, not on borders. */
function findSolidPixels({ width, height, values }: Samples): Uint8Array {
  const marks = new Uint8Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isSolid = STEPS.every(([dx, dy]) => {
        const [column, row] = [x + dx, y + dy]
        if (column < 0 || row < 0 || column >= width || row >= height) return true
        return isAlike(values, 4 * (y * width + x), 4 * (row * width + column))
      })
      if (isSolid) marks[y * width + x] = 1
    }
  return marks
}

function isAlike(values: Uint8Array, one: number, other: number): boolean {
  for (let channel = 0; channel < 4; channel++)
    if (Math.abs((values[one + channel] ?? 0) - (values[other + channel] ?? 0)) > MAX_DIFFERENCE) return false
  return true
}
