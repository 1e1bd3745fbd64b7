import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import type { Ball } from './ball.ts'
import {
  addBalls,
  ballOf,
  divideBalls,
  exactBall,
  multiplyBalls,
  raiseBall,
  squareRootOfBall,
  TooWide,
  trim,
} from './ball.ts'
import { exponential, logarithm } from './elementary.ts'
import { gamma } from './factorial.ts'
import type { Rational } from './rational.ts'
import {
  addRationals,
  compareRationals,
  divideRationals,
  multiplyRationals,
  raiseRational,
  rational,
} from './rational.ts'
import { arcTangent, sineAndCosine } from './trigonometry.ts'
import { Workspace } from './workspace.ts'

const BITS = 100
const workspace = new Workspace(Number.POSITIVE_INFINITY)

const whole = fc.bigInt(-(10n ** 30n), 10n ** 30n)
const anyRational = fc.tuple(whole, fc.bigInt(1n, 10n ** 30n)).map(([p, q]) => rational(p, q))

/** The two ends of a ball, as fractions. */
function endsOf({ middle, radius, exponent }: Ball): readonly [Rational, Rational] {
  const [above, below] = exponent >= 0 ? [1n << BigInt(exponent), 1n] : [1n, 1n << BigInt(-exponent)]
  return [rational((middle - radius) * above, below), rational((middle + radius) * above, below)]
}

function assertContains(ball: Ball, value: Rational): void {
  const [low, high] = endsOf(ball)
  assert.ok(compareRationals(low, value) <= 0 && compareRationals(value, high) <= 0)
}

function assertOverlap(one: Ball, other: Ball): void {
  const [[low, high], [otherLow, otherHigh]] = [endsOf(one), endsOf(other)]
  assert.ok(compareRationals(low, otherHigh) <= 0 && compareRationals(otherLow, high) <= 0)
}

test('sums, products, quotients and powers of balls contain the exact result', () => {
  fc.assert(
    fc.property(anyRational, anyRational, fc.integer({ min: 1, max: 40 }), (a, b, power) => {
      const [x, y] = [ballOf(a, BITS), ballOf(b, BITS)]
      assertContains(x, a)
      assertContains(addBalls(x, y, BITS), addRationals(a, b))
      assertContains(multiplyBalls(x, y, BITS), multiplyRationals(a, b))
      if (b.numerator !== 0n) assertContains(divideBalls(x, y, BITS), divideRationals(a, b))
      assertContains(raiseBall(x, BigInt(power), BITS), raiseRational(a, power))
      assertContains(trim(x, 20), a)
    }),
  )
})

test('the square of a root contains the radicand', () => {
  fc.assert(
    fc.property(anyRational, (a) => {
      fc.pre(a.numerator > 0n)
      const root = squareRootOfBall(ballOf(a, BITS), BITS)
      assertContains(multiplyBalls(root, root, 2 * BITS), a)
    }),
  )
})

test('division by a ball that contains 0 fails', () => {
  assert.throws(() => divideBalls(exactBall(1n), { middle: 1n, radius: 1n, exponent: 0 }, BITS), TooWide)
  assert.throws(() => squareRootOfBall({ middle: 1n, radius: 1n, exponent: 0 }, BITS), TooWide)
})

test('functions computed with more bits stay inside the balls computed with fewer bits', () => {
  const moderate = fc.tuple(fc.bigInt(-(10n ** 6n), 10n ** 6n), fc.bigInt(1n, 10n ** 5n))
  fc.assert(
    fc.property(moderate, ([p, q]) => {
      const value = rational(p, q)
      const functions: readonly ((bits: number) => Ball)[] = [
        (bits) => sineAndCosine(ballOf(value, bits), bits, workspace).sine,
        (bits) => sineAndCosine(ballOf(value, bits), bits, workspace).cosine,
        (bits) => arcTangent(ballOf(value, bits), bits, workspace),
        ...(p > 0n ? [(bits: number) => logarithm(ballOf(value, bits), bits, workspace)] : []),
        ...(Math.abs(Number(p) / Number(q)) < 1e4
          ? [(bits: number) => exponential(ballOf(value, bits), bits, workspace)]
          : []),
        ...(q > 1n && Math.abs(Number(p) / Number(q)) < 50 && value.denominator > 1n
          ? [(bits: number) => gamma(ballOf(value, bits), bits, workspace)]
          : []),
      ]
      for (const compute of functions) assertOverlap(compute(64), compute(300))
    }),
  )
})

test('e^x and ln are inverse, and sine and cosine lie on the unit circle', () => {
  fc.assert(
    fc.property(anyRational, (a) => {
      fc.pre(a.numerator > 0n && compareRationals(a, rational(10n ** 6n)) < 0)
      const x = ballOf(a, BITS)
      assertContains(exponential(logarithm(x, BITS, workspace), BITS, workspace), a)
      const { sine, cosine } = sineAndCosine(x, BITS, workspace)
      const sum = addBalls(multiplyBalls(sine, sine, BITS), multiplyBalls(cosine, cosine, BITS), BITS)
      assertContains(sum, rational(1n))
    }),
  )
})
