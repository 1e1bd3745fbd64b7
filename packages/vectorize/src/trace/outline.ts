/** A mask of pixels, row by row: 1 inside the area. */
export type Mask = { readonly width: number; readonly height: number; readonly cells: Uint8Array }

/**
 * The border of an area as a closed walk of unit steps between pixel corners, with the area on its right (y
 * grows downwards). Coordinates are integers; holes are walked in the opposite direction.
 */
export type Outline = { readonly xs: Int32Array; readonly ys: Int32Array }

/** East, south, west, north. */
const STEP_X = [1, 0, -1, 0] as const
const STEP_Y = [0, 1, 0, -1] as const
/** For each heading, the offsets from a corner to the pixels ahead on the right and on the left. */
const RIGHT_X = [0, -1, -1, 0] as const
const RIGHT_Y = [0, 0, -1, -1] as const
const LEFT_X = [0, 0, -1, -1] as const
const LEFT_Y = [-1, 0, 0, -1] as const

/**
 * Decomposes the border of an area into outlines (section 2.1 of P. Selinger, "Potrace: a polygon-based
 * tracing algorithm", 2003, http://potrace.sourceforge.net/potrace.pdf). Pixels that touch only at a corner
 * are separate.
 * @param minArea outlines around fewer pixels are omitted
 */
export function findOutlines(mask: Mask, minArea: number): Outline[] {
  const { width, height, cells } = mask
  const isSet = (x: number, y: number) =>
    x >= 0 && y >= 0 && x < width && y < height && cells[y * width + x] === 1
  const isWalked = new Uint8Array(width * height)
  const outlines: Outline[] = []
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      // Every outline has an eastward step along the upper side of a pixel of the area.
      if (cells[at] !== 1 || isWalked[at] === 1 || (y > 0 && cells[at - width] === 1)) continue
      const outline = walk(x, y, width, isSet, isWalked)
      if (Math.abs(signedArea(outline)) >= minArea) outlines.push(outline)
    }
  }
  return outlines
}

function walk(
  startX: number,
  startY: number,
  width: number,
  isSet: (x: number, y: number) => boolean,
  isWalked: Uint8Array,
): Outline {
  const xs: number[] = []
  const ys: number[] = []
  let [x, y, heading] = [startX, startY, 0]
  do {
    xs.push(x)
    ys.push(y)
    if (heading === 0) isWalked[y * width + x] = 1
    x += STEP_X[heading] ?? 0
    y += STEP_Y[heading] ?? 0
    heading = turn(x, y, heading, isSet)
  } while (x !== startX || y !== startY || heading !== 0)
  return { xs: Int32Array.from(xs), ys: Int32Array.from(ys) }
}

/**
 * The next heading: right if the pixel ahead on the right is outside, left if both pixels ahead are inside,
 * else straight on.
 */
function turn(x: number, y: number, heading: number, isSet: (x: number, y: number) => boolean): number {
  const isRight = isSet(x + (RIGHT_X[heading] ?? 0), y + (RIGHT_Y[heading] ?? 0))
  if (!isRight) return (heading + 1) % 4
  const isLeft = isSet(x + (LEFT_X[heading] ?? 0), y + (LEFT_Y[heading] ?? 0))
  return isLeft ? (heading + 3) % 4 : heading
}

/** Signed area by the shoelace formula: positive for an area, negative for a hole. */
function signedArea({ xs, ys }: Outline): number {
  let twice = 0
  for (let at = 0; at < xs.length; at++) {
    const next = at + 1 === xs.length ? 0 : at + 1
    twice += (xs[at] ?? 0) * (ys[next] ?? 0) - (xs[next] ?? 0) * (ys[at] ?? 0)
  }
  return twice / 2
}
