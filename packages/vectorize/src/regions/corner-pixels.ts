import type { Borders } from './borders.ts'
import type { MixedPixels } from './mixed-pixels.ts'

/** A line relative to a pixel, with the pixel's main colour on the positive side. */
type Line = { readonly x: number; readonly y: number; readonly offset: number }

/** Pixels at a distance of two: those adjacent to a corner are distorted by it. */
const RING = [-2, -1, 0, 1, 2].flatMap((dy) =>
  [-2, -1, 0, 1, 2]
    .map((dx) => [dx, dy] as const)
    .filter(([dx]) => Math.max(Math.abs(dx), Math.abs(dy)) === 2),
)
/** A line further from the pixel's centre does not cross the pixel. */
const MAX_DISTANCE = 0.9
/** Cosine of the minimum angle between two lines that form a corner. */
const MIN_TURN = Math.cos((Math.PI * 35) / 180)
/** Maximum difference between the share of a fitted corner and the pixel's share. */
const MAX_MISS = 0.04
const GRID = Array.from({ length: 8 }, (_, at) => (at + 0.5) / 8 - 0.5)

/**
 * Replaces the single line of corner pixels, which would cut the corner off, by the corner's two sides: the
 * lines of pixels on both sides are extended into the pixel, where they must divide it in the right
 * proportion.
 */
export function findCorners(pixels: MixedPixels, borders: Borders): void {
  const lines = {
    ...borders,
    normalX: borders.normalX.slice(),
    normalY: borders.normalY.slice(),
    offset: borders.offset.slice(),
  }
  for (let y = 2; y < pixels.height - 2; y++)
    for (let x = 2; x < pixels.width - 2; x++) {
      const at = y * pixels.width + x
      if (lines.normalX[at] === 0 && lines.normalY[at] === 0) continue
      const pair = findPair(linesAround(pixels, lines, at))
      const join = pair && chooseJoin(pair, pixels.share[at] ?? 1)
      if (!pair || !join) continue
      const [one, other] = pair
      borders.normalX[at] = one.x
      borders.normalY[at] = one.y
      borders.offset[at] = one.offset
      borders.secondX[at] = other.x
      borders.secondY[at] = other.y
      borders.secondOffset[at] = other.offset
      borders.join[at] = join
    }
}

function linesAround({ width, main, other }: MixedPixels, lines: Borders, at: number): Line[] {
  return RING.flatMap(([dx, dy]) => {
    const near = at + dy * width + dx
    const [x, y] = [lines.normalX[near] ?? 0, lines.normalY[near] ?? 0]
    if (x === 0 && y === 0) return []
    const isSame = main[near] === main[at] && other[near] === other[at]
    if (!isSame && (main[near] !== other[at] || other[near] !== main[at])) return []
    const sign = isSame ? 1 : -1
    const offset = sign * ((lines.offset[near] ?? 0) + x * dx + y * dy)
    return Math.abs(offset) <= MAX_DISTANCE ? [{ x: sign * x, y: sign * y, offset }] : []
  })
}

/** The pair of lines with the largest angle between them, if it forms a corner. */
function findPair(lines: readonly Line[]): readonly [Line, Line] | null {
  let [pair, min]: [readonly [Line, Line] | null, number] = [null, MIN_TURN]
  for (const [at, one] of lines.entries())
    for (const other of lines.slice(at + 1)) {
      const cosine = one.x * other.x + one.y * other.y
      if (cosine < min) [pair, min] = [[one, other], cosine]
    }
  return pair
}

/** 1 if the main colour is on the positive side of both lines, 2 if of either, 0 if neither fits the share. */
function chooseJoin([one, other]: readonly [Line, Line], share: number): 0 | 1 | 2 {
  let [both, either] = [0, 0]
  for (const y of GRID)
    for (const x of GRID) {
      const isOne = one.x * x + one.y * y >= one.offset
      const isOther = other.x * x + other.y * y >= other.offset
      if (isOne && isOther) both += 1
      if (isOne || isOther) either += 1
    }
  const cells = GRID.length ** 2
  const [missBoth, missEither] = [Math.abs(both / cells - share), Math.abs(either / cells - share)]
  if (Math.min(missBoth, missEither) > MAX_MISS) return 0
  return missBoth <= missEither ? 1 : 2
}
