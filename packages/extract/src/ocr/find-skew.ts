import type { Area } from './gray-image.ts'

/** Degrees that a scan may be turned by, and the steps that are tried. */
const MAX_ANGLE = 6
const STEP = 0.1
/** Letters of less slant than this are read as they are. */
const MIN_ANGLE = 0.25

/**
 * The angle of the lines of a page, in degrees, clockwise if positive: the one at which most letters stand on a few
 * lines. 0 if it is small.
 */
export function findSkew(letters: readonly Area[], letter: number): number {
  if (letters.length < 20) return 0
  const bin = Math.max(2, letter / 5)
  const points = letters.map(({ left, right, bottom }) => [(left + right) / 2, bottom] as const)
  const scoreOf = (angle: number) => {
    const slope = Math.tan((angle * Math.PI) / 180)
    const counts = new Map<number, number>()
    for (const [x, y] of points) {
      const at = Math.round((y - x * slope) / bin)
      counts.set(at, (counts.get(at) ?? 0) + 1)
    }
    let score = 0
    for (const count of counts.values()) score += count * count
    return score
  }
  let [best, angle] = [scoreOf(0) * 1.05, 0]
  for (let tried = -MAX_ANGLE; tried <= MAX_ANGLE; tried += STEP) {
    const score = scoreOf(tried)
    if (score > best) [best, angle] = [score, tried]
  }
  return Math.abs(angle) < MIN_ANGLE ? 0 : angle
}
