import type { Samples } from './samples.ts'

/** Neighbours whose channels differ by at most this have the same colour, allowing for JPEG noise. */
const MAX_DIFFERENCE = 6
/** Neighbours of which a channel differs by this have clearly different colours; `choose-palette.ts`. */
const MIN_STEP = 24

/** Marks with 1 the pixels that look like their four neighbours: those inside areas, not on borders. */
export function findSolidPixels(samples: Samples): Uint8Array {
  const marks = new Uint8Array(samples.width * samples.height).fill(1)
  forEachStep(samples, MAX_DIFFERENCE, (one, other) => {
    marks[one] = 0
    marks[other] = 0
  })
  return marks
}

/** Number of pairs of neighbours with clearly different colours: the length of all borders, in pixels. */
export function countSteps(samples: Samples): number {
  let steps = 0
  forEachStep(samples, MIN_STEP - 1, () => {
    steps += 1
  })
  return steps
}

/** Calls `visit` for each pair of adjacent pixels with a channel that differs by more than `max`. */
function forEachStep(
  { width, values }: Samples,
  max: number,
  visit: (one: number, other: number) => void,
): void {
  const pixels = values.length / 4
  for (let pixel = 0, column = 0; pixel < pixels; pixel++) {
    const below = pixel + width
    column = column + 1 === width ? 0 : column + 1
    if (column > 0 && differs(values, pixel, pixel + 1, max)) visit(pixel, pixel + 1)
    if (below < pixels && differs(values, pixel, below, max)) visit(pixel, below)
  }
}

function differs(values: Uint8Array, one: number, other: number, max: number): boolean {
  for (let channel = 0; channel < 4; channel++)
    if (Math.abs((values[4 * one + channel] ?? 0) - (values[4 * other + channel] ?? 0)) > max) return true
  return false
}
