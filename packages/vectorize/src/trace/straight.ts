import type { Outline } from './outline.ts'

/**
 * For each point of an outline, the furthest point up to which the outline is still straight (Selinger,
 * section 2.2.1): some line passes all points in between at a distance of at most half a pixel in x and y, and
 * the walk does not use all four directions. Indexes continue past the end, so the last point may reach the
 * first ones.
 */
export function findStraights({ xs, ys }: Outline): Int32Array {
  const count = xs.length
  const turns = findNextTurns(xs, ys)
  const furthest = new Int32Array(count)
  for (let from = 0; from < count; from++) furthest[from] = reachFrom(from, xs, ys, turns)
  // A part of a straight stretch is straight, so a later start reaches at least as far.
  let bound = Number.POSITIVE_INFINITY
  for (let lap = 1; lap >= 0; lap--) {
    for (let from = count - 1; from >= 0; from--) {
      bound = Math.min(bound, (furthest[from] ?? 0) + lap * count)
      if (lap === 0) furthest[from] = bound
    }
  }
  return furthest
}

/** For each point, the index of the next change of direction; continues past the end. */
function findNextTurns(xs: Int32Array, ys: Int32Array): Int32Array {
  const count = xs.length
  const next = new Int32Array(count)
  let turn = count
  for (let lap = 1; lap >= 0; lap--) {
    for (let at = count - 1; at >= 0; at--) {
      const ahead = (at + 1) % count
      const beyond = (at + 2) % count
      const isTurn =
        (xs[ahead] ?? 0) - (xs[at] ?? 0) !== (xs[beyond] ?? 0) - (xs[ahead] ?? 0) ||
        (ys[ahead] ?? 0) - (ys[at] ?? 0) !== (ys[beyond] ?? 0) - (ys[ahead] ?? 0)
      if (isTurn) turn = at + 1 + lap * count
      if (lap === 0) next[at] = turn
    }
  }
  return next
}

/** The directions of all lines that pass the points so far: right of `left`, left of `right`. */
type Cone = { rightX: number; rightY: number; leftX: number; leftY: number }

function reachFrom(from: number, xs: Int32Array, ys: Int32Array, turns: Int32Array): number {
  const count = xs.length
  const cone: Cone = { rightX: 0, rightY: 0, leftX: 0, leftY: 0 }
  const originX = xs[from] ?? 0
  const originY = ys[from] ?? 0
  let directions = 0
  let at = from
  for (;;) {
    const here = at % count
    const next = (turns[here] ?? 0) + at - here
    const end = Math.min(next, from + count - 1)
    const dx = Math.sign((xs[next % count] ?? 0) - (xs[here] ?? 0))
    const dy = Math.sign((ys[next % count] ?? 0) - (ys[here] ?? 0))
    directions |= 1 << (dx + 1 + 3 * (dy + 1))
    if (directions === ALL_DIRECTIONS) return at
    const x = (xs[here] ?? 0) - originX
    const y = (ys[here] ?? 0) - originY
    const steps = stepsInside(cone, x, y, dx, dy, end - at)
    if (steps < end - at || end < next || end === from + count - 1) return at + steps
    at = next
    narrow(cone, (xs[at % count] ?? 0) - originX, (ys[at % count] ?? 0) - originY)
  }
}

/** The bits for west, east, north and south, as set by `reachFrom`. */
const ALL_DIRECTIONS = (1 << 3) | (1 << 5) | (1 << 1) | (1 << 7)

function stepsInside(cone: Cone, x: number, y: number, dx: number, dy: number, max: number): number {
  const right = cone.rightX * y - cone.rightY * x
  const rightGain = cone.rightX * dy - cone.rightY * dx
  const left = cone.leftX * y - cone.leftY * x
  const leftGain = cone.leftX * dy - cone.leftY * dx
  let steps = max
  if (rightGain < 0) steps = Math.min(steps, Math.floor(right / -rightGain))
  if (leftGain > 0) steps = Math.min(steps, Math.floor(-left / leftGain))
  return Math.max(0, steps)
}

/** Restricts the cone to directions that meet the square of half-width 1 around a point. */
function narrow(cone: Cone, x: number, y: number): void {
  if (Math.abs(x) <= 1 && Math.abs(y) <= 1) return
  let [rightX, rightY, leftX, leftY] = [0, 0, 0, 0]
  for (let corner = 0; corner < 4; corner++) {
    const cornerX = x + (corner & 1 ? 1 : -1)
    const cornerY = y + (corner & 2 ? 1 : -1)
    if (corner === 0 || rightX * cornerY - rightY * cornerX < 0) [rightX, rightY] = [cornerX, cornerY]
    if (corner === 0 || leftX * cornerY - leftY * cornerX > 0) [leftX, leftY] = [cornerX, cornerY]
  }
  if (cone.rightX * rightY - cone.rightY * rightX >= 0) [cone.rightX, cone.rightY] = [rightX, rightY]
  if (cone.leftX * leftY - cone.leftY * leftX <= 0) [cone.leftX, cone.leftY] = [leftX, leftY]
}
