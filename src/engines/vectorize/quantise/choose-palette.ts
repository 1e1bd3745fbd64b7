import type { Rgb } from '../picture.ts'
import { type Bin, countColours } from './histogram.ts'
import { choosePaints } from './paint-colours.ts'
import { CLEAR, distanceBetween, type Sample, type Samples } from './samples.ts'
import { findSolidPixels } from './solid-pixels.ts'
import { splitColours } from './split-colours.ts'
import { findUnexplained, leaveUnexplained } from './unexplained.ts'

export type Palette = {
  readonly colours: readonly Sample[]
  /** What each is painted with. */
  readonly paints: readonly Rgb[]
  /** Index of the colour that is not painted; -1 when there is none. */
  readonly clear: number
  /** Whether the picture has more colours than areas of one colour: a photo, or painted like one. */
  readonly isPhoto: boolean
}

/** As many as fit beside a clear one into a byte. */
export const MAX_COLOURS = 255
/** Taken when the picture is to decide. */
const ENOUGH_COLOURS = 64
/** Distance at which two colours of areas are two; JPEG's noise stays below. */
const TOLERANCE = 24
/** Share of the solid pixels that makes a colour. */
const MIN_SHARE = 0.0002
const CLEAR_BELOW = 128

type Options = {
  /** Colours to be painted at most; 0 leaves it to the picture. */
  readonly max: number
  /** These and no others are painted. */
  readonly given: readonly Rgb[] | null
}

/** Chooses the colours of a drawing. */
export function choosePalette(samples: Samples, { max, given }: Options): Palette {
  const solid = findSolidPixels(samples)
  const limit = Math.min(MAX_COLOURS, max === 0 ? ENOUGH_COLOURS : max)
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

/** With more colours no line's is looked for: every pair of them would have to be tried for every pixel. */
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

/** Fewer different colours than this are no photo. */
const FEW_COLOURS = 512
/** Colours of areas by which photos are told from drawings. */
const TRIED_COLOURS = 64

/** Whether few pixels lie inside of areas, or areas have more colours than a drawing. */
function looksLikePhoto(everything: readonly Bin[], inside: readonly Bin[]): boolean {
  if (everything.length < FEW_COLOURS) return false
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
