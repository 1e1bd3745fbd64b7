import type { Samples } from './samples.ts'

/** Neighbours whose channels differ by at most this have the same colour, allowing for JPEG noise. */
const MAX_DIFFERENCE = 6
const STEPS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const

/** Marks with 1 the pixels that look like their four neighbours: those inside areas, not on borders. */
export function findSolidPixels({ width, height, values }: Samples): Uint8Array {
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
