import type { Point } from '../image.ts'

/** A cubic Bézier curve. */
export type Curve = {
  readonly from: Point
  readonly first: Point
  readonly second: Point
  readonly to: Point
}

/** A fitted curve and the sum of its squared distances to the samples. */
export type Fit = { readonly curve: Curve; readonly error: number }

export type FitTask = {
  readonly from: Point
  /** Unit tangent at the start. */
  readonly leaving: Point
  readonly to: Point
  /** Unit tangent at the end. */
  readonly arriving: Point
  /** Points to approximate, in order, without the end points. */
  readonly samples: readonly Point[]
}

const ROUNDS = 4

/**
 * Fits a curve with fixed ends and tangents to the samples by least squares, with parameters refined by
 * Newton's method (P. Schneider, "An algorithm for automatically fitting digitized curves", Graphics Gems,
 * 1990); null if a sample remains further off than `tolerance`.
 */
export function fitCurve(task: FitTask, tolerance: number): Fit | null {
  const shares = byLength(task)
  let curve = solve(task, shares)
  for (let round = 0; ; round++) {
    const { worst, error } = measure(curve, task.samples, shares)
    if (worst <= tolerance * tolerance && (round > 0 || worst === 0)) return { curve, error }
    // A fit that starts far off does not become good.
    if (round === ROUNDS || worst > 36 * tolerance * tolerance) return null
    improve(curve, task.samples, shares)
    curve = solve(task, shares)
  }
}

/** Initial parameters by chord length. */
function byLength({ from, to, samples }: FitTask): Float64Array {
  const shares = new Float64Array(samples.length)
  let length = 0
  let before = from
  samples.forEach((sample, at) => {
    length += Math.hypot(sample.x - before.x, sample.y - before.y)
    shares[at] = length
    before = sample
  })
  const whole = length + Math.hypot(to.x - before.x, to.y - before.y)
  return shares.map((share) => (whole > 0 ? share / whole : 0))
}

/** Solves for the lengths of both tangents by least squares: two linear equations. */
function solve({ from, leaving, to, arriving, samples }: FitTask, shares: Float64Array): Curve {
  let [aa, ab, bb, ra, rb] = [0, 0, 0, 0, 0]
  for (let at = 0; at < samples.length; at++) {
    const t = shares[at] ?? 0
    const sample = samples[at] ?? from
    const s = 1 - t
    const [w1, w2] = [3 * s * s * t, 3 * s * t * t]
    const [w0, w3] = [s * s * s + w1, t * t * t + w2]
    const restX = sample.x - w0 * from.x - w3 * to.x
    const restY = sample.y - w0 * from.y - w3 * to.y
    const [ax, ay, bx, by] = [w1 * leaving.x, w1 * leaving.y, -w2 * arriving.x, -w2 * arriving.y]
    aa += ax * ax + ay * ay
    ab += ax * bx + ay * by
    bb += bx * bx + by * by
    ra += ax * restX + ay * restY
    rb += bx * restX + by * restY
  }
  const chord = Math.hypot(to.x - from.x, to.y - from.y)
  const determinant = aa * bb - ab * ab
  let [alpha, beta] = [chord / 3, chord / 3]
  if (determinant > 1e-9 * aa * bb) {
    alpha = (ra * bb - rb * ab) / determinant
    beta = (rb * aa - ra * ab) / determinant
  }
  const [min, max] = [chord * 0.01, chord * 3]
  alpha = Math.min(max, Math.max(min, alpha))
  beta = Math.min(max, Math.max(min, beta))
  return {
    from,
    first: { x: from.x + alpha * leaving.x, y: from.y + alpha * leaving.y },
    second: { x: to.x - beta * arriving.x, y: to.y - beta * arriving.y },
    to,
  }
}

function measure(curve: Curve, samples: readonly Point[], shares: Float64Array) {
  let [worst, error] = [0, 0]
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at] ?? curve.from
    const point = pointOn(curve, shares[at] ?? 0)
    const square = (point.x - sample.x) ** 2 + (point.y - sample.y) ** 2
    worst = Math.max(worst, square)
    error += square
  }
  return { worst, error }
}

/** Moves each parameter towards the curve point nearest to its sample. */
function improve(curve: Curve, samples: readonly Point[], shares: Float64Array): void {
  const { from, first, second, to } = curve
  for (let at = 0; at < samples.length; at++) {
    const t = shares[at] ?? 0
    const s = 1 - t
    const sample = samples[at] ?? from
    const point = pointOn(curve, t)
    const slope = (a: number, b: number, c: number, d: number) =>
      3 * (s * s * (b - a) + 2 * s * t * (c - b) + t * t * (d - c))
    const bend = (a: number, b: number, c: number, d: number) =>
      6 * (s * (c - 2 * b + a) + t * (d - 2 * c + b))
    const [dx, dy] = [slope(from.x, first.x, second.x, to.x), slope(from.y, first.y, second.y, to.y)]
    const [ddx, ddy] = [bend(from.x, first.x, second.x, to.x), bend(from.y, first.y, second.y, to.y)]
    const [offX, offY] = [point.x - sample.x, point.y - sample.y]
    const divisor = dx * dx + dy * dy + offX * ddx + offY * ddy
    if (divisor > 1e-9) shares[at] = Math.min(1, Math.max(0, t - (offX * dx + offY * dy) / divisor))
  }
}

/** The point of a curve at a parameter from 0 to 1. */
export function pointOn({ from, first, second, to }: Curve, t: number): Point {
  const s = 1 - t
  const [w0, w1, w2, w3] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t]
  return {
    x: w0 * from.x + w1 * first.x + w2 * second.x + w3 * to.x,
    y: w0 * from.y + w1 * first.y + w2 * second.y + w3 * to.y,
  }
}
