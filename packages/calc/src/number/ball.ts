import { absolute, bitLength, integerRoot } from './integer.ts'
import type { Rational } from './rational.ts'

/**
 * A real number within (middle ± radius) · 2^exponent. Every operation widens the radius by its maximum
 * error, so the enclosure is proven.
 */
export type Ball = { readonly middle: bigint; readonly radius: bigint; readonly exponent: number }

/** Thrown if a ball is too wide for an operation, such as a divisor that may be 0; more bits may help. */
export class TooWide extends Error {
  constructor() {
    super('the number is not known precisely enough')
    this.name = 'TooWide'
  }
}

/** A longer radius only means that the last bits of the middle are unknown. */
const RADIUS_BITS = 32

export function exactBall(middle: bigint, exponent = 0): Ball {
  return { middle, radius: 0n, exponent }
}

/** The ball of a fraction with this many bits. */
export function ballOf({ numerator, denominator }: Rational, bits: number): Ball {
  if (denominator === 1n) return trim(exactBall(numerator), bits)
  return divideBalls(trim(exactBall(numerator), bits + 8), trim(exactBall(denominator), bits + 8), bits)
}

/** The exponent of the smallest power of two above the ball's absolute values; -Infinity for an exact 0. */
export function topOf({ middle, radius, exponent }: Ball): number {
  const length = bitLength(absolute(middle) + radius)
  return length === 0 ? Number.NEGATIVE_INFINITY : exponent + length
}

/** -1, 0 or 1, or null if the ball contains 0 and other numbers. */
export function signOf({ middle, radius }: Ball): -1 | 0 | 1 | null {
  if (absolute(middle) > radius) return middle < 0n ? -1 : 1
  return middle === 0n && radius === 0n ? 0 : null
}

export function negateBall(ball: Ball): Ball {
  return { ...ball, middle: -ball.middle }
}

/** Drops bits beyond the requested precision, and bits that the radius makes meaningless. */
export function trim(ball: Ball, bits: number): Ball {
  const excess = Math.max(bitLength(ball.middle) - bits, bitLength(ball.radius) - RADIUS_BITS)
  return excess > 0 ? atExponent(ball, ball.exponent + excess) : ball
}

/** Converts the ball to units of 2^exponent. */
export function atExponent({ middle, radius, exponent: from }: Ball, exponent: number): Ball {
  const shift = BigInt(Math.abs(exponent - from))
  if (exponent <= from) return { middle: middle << shift, radius: radius << shift, exponent }
  // One unit for the bits truncated from the middle, one for those truncated from the radius.
  return { middle: middle >> shift, radius: (radius >> shift) + 2n, exponent }
}

/** Widens a ball by `radius` units of 2^exponent. */
export function widen(ball: Ball, radius: bigint, exponent: number): Ball {
  const wider = atExponent({ middle: 0n, radius, exponent }, ball.exponent)
  return { ...ball, radius: ball.radius + wider.radius }
}

export function addBalls(a: Ball, b: Ball, bits: number): Ball {
  const top = Math.max(topOf(a), topOf(b))
  if (top === Number.NEGATIVE_INFINITY) return exactBall(0n)
  // A difference of this many bits makes the smaller summand invisible in the sum.
  const lowest = top - bits - 8
  const exponent = Math.max(Math.min(a.exponent, b.exponent), lowest)
  const [x, y] = [atExponent(a, exponent), atExponent(b, exponent)]
  return trim({ middle: x.middle + y.middle, radius: x.radius + y.radius, exponent }, bits)
}

export function subtractBalls(a: Ball, b: Ball, bits: number): Ball {
  return addBalls(a, negateBall(b), bits)
}

export function multiplyBalls(a: Ball, b: Ball, bits: number): Ball {
  const radius = absolute(a.middle) * b.radius + absolute(b.middle) * a.radius + a.radius * b.radius
  return trim({ middle: a.middle * b.middle, radius, exponent: a.exponent + b.exponent }, bits)
}

/** @throws TooWide if the divisor may be 0. */
export function divideBalls(a: Ball, b: Ball, bits: number): Ball {
  const size = absolute(b.middle)
  if (size <= b.radius) throw new TooWide()
  const shift = Math.max(0, bits + 2 + bitLength(b.middle) - bitLength(a.middle))
  const scale = BigInt(shift)
  // |A/B - a/b| <= (ra |b| + |a| rb) / (|b| (|b| - rb)), and each of the two divisions truncates less than 1.
  const spread = ((a.radius * size + absolute(a.middle) * b.radius) << scale) / (size * (size - b.radius))
  const quotient = { middle: (a.middle << scale) / b.middle, radius: spread + 2n }
  return trim({ ...quotient, exponent: a.exponent - b.exponent - shift }, bits)
}

/** The square root of a ball above 0. @throws TooWide if the number may be 0 or less. */
export function squareRootOfBall(ball: Ball, bits: number): Ball {
  if (ball.middle <= ball.radius) throw new TooWide()
  const missing = Math.max(0, 2 * bits + 4 - bitLength(ball.middle))
  const shift = missing + (Math.abs(ball.exponent - missing) % 2)
  const { middle, radius, exponent } = atExponent(ball, ball.exponent - shift)
  // sqrt(m) - sqrt(m - r) <= r / sqrt(m - r), and the root is rounded down.
  const spread = radius === 0n ? 0n : radius / integerRoot(middle - radius, 2) + 1n
  return trim({ middle: integerRoot(middle, 2), radius: spread + 1n, exponent: exponent / 2 }, bits)
}

/** The ball raised to a whole power of at least 1, by squaring. */
export function raiseBall(base: Ball, power: bigint, bits: number): Ball {
  let result: Ball | null = null
  let square = base
  for (let rest = power; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = result ? multiplyBalls(result, square, bits) : square
    if (rest > 1n) square = multiplyBalls(square, square, bits)
  }
  return result ?? exactBall(1n)
}
