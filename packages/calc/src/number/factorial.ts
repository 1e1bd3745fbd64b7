import { CalcError } from '../calc-error.ts'
import { add } from './arithmetic.ts'
import {
  addBalls,
  type Ball,
  ballOf,
  divideBalls,
  exactBall,
  multiplyBalls,
  signOf,
  subtractBalls,
  TooWide,
  topOf,
  widen,
} from './ball.ts'
import { checkMagnitude, exponential, logarithm } from './elementary.ts'
import { bitLength, rangeProduct } from './integer.ts'
import { checkIntegerSize, integer, liftOne, MAX_INTEGER_BITS, type Numeric, toInteger } from './number.ts'
import { multiplyRationals, rational } from './rational.ts'
import { piBall, sineAndCosine } from './trigonometry.ts'
import type { Workspace } from './workspace.ts'

/** Beyond this, the logarithm of gamma has so many digits that its power exceeds the limits anyway. */
const MAX_TOP = 40
const MAX_BITS = 2048

/** 20000! has 77,338 digits. */
const MAX_FACTORIAL = 20_000n

/** n!; gamma(x + 1) for other numbers. @throws CalcError above 20,000 and at negative whole numbers. */
export function factorialOf(x: Numeric, workspace: Workspace): Numeric {
  const whole = toInteger(x)
  if (whole === null) return gammaOf(add(x, integer(1), workspace), workspace)
  return integer(product({ first: 1n, count: toFactorialArgument(whole), step: 1n }, workspace))
}

/** n!! = n (n - 2) (n - 4) ... @throws CalcError unless n is a whole number from 0 to 20,000. */
export function doubleFactorialOf(x: Numeric, workspace: Workspace): Numeric {
  const whole = toInteger(x)
  if (whole === null) throw new CalcError('value', 'the operand of !! must be a whole number')
  const last = toFactorialArgument(whole)
  const first = last % 2 === 0 ? 2n : 1n
  return integer(product({ first, count: Math.ceil(last / 2), step: 2n }, workspace))
}

/** Gamma; (n - 1)! at whole numbers. @throws CalcError at 0 and negative whole numbers. */
export function gammaOf(x: Numeric, workspace: Workspace): Numeric {
  const whole = toInteger(x)
  if (whole === null) return liftOne(x, workspace, (ball, bits) => gamma(ball, bits, workspace))
  if (whole < 1n) throw new CalcError('value', 'gamma is not defined at 0 and negative whole numbers')
  return factorialOf(integer(whole - 1n), workspace)
}

/** n! / (n - k)!: ordered choices. @throws CalcError unless both are non-negative whole numbers within the limits. */
export function permutationsOf(n: Numeric, k: Numeric, workspace: Workspace): Numeric {
  const [total, chosen] = toChoice(n, k, 'nPr')
  if (chosen > total) return integer(0)
  return integer(fallingProduct(total, toFactorialArgument(chosen), workspace))
}

/** n! / (k! (n - k)!): unordered choices. @throws CalcError as `permutationsOf`. */
export function combinationsOf(n: Numeric, k: Numeric, workspace: Workspace): Numeric {
  const [total, chosen] = toChoice(n, k, 'nCr')
  if (chosen > total) return integer(0)
  const count = toFactorialArgument(2n * chosen > total ? total - chosen : chosen)
  const ordered = fallingProduct(total, count, workspace)
  const repeats = product({ first: 1n, count, step: 1n }, workspace)
  workspace.spendDivision(ordered, repeats)
  return integer(ordered / repeats)
}

function toFactorialArgument(whole: bigint): number {
  if (whole < 0n) throw new CalcError('value', 'the factorial of a negative whole number is not defined')
  if (whole > MAX_FACTORIAL)
    throw new CalcError(
      'value',
      `the argument of a factorial, nCr or nPr is too large (limit ${MAX_FACTORIAL})`,
    )
  return Number(whole)
}

function toChoice(n: Numeric, k: Numeric, name: string): readonly [bigint, bigint] {
  const [total, chosen] = [toInteger(n), toInteger(k)]
  if (total === null || chosen === null || total < 0n || chosen < 0n)
    throw new CalcError('value', `${name} takes two non-negative whole numbers`)
  return [total, chosen]
}

function fallingProduct(total: bigint, count: number, workspace: Workspace): bigint {
  return product({ first: total - BigInt(count) + 1n, count, step: 1n }, workspace)
}

type Range = { readonly first: bigint; readonly count: number; readonly step: bigint }

function product({ first, count, step }: Range, workspace: Workspace): bigint {
  const maxFactorBits = bitLength(first + step * BigInt(count))
  const bits = maxFactorBits * count
  // The result is shorter than the product that it is computed from.
  if (bits > 2 * MAX_INTEGER_BITS) checkIntegerSize(bits)
  // The last products, each of half the length, take about as long as all earlier ones.
  workspace.spend(300 * count)
  workspace.spendProducts(2, bits / 2)
  return rangeProduct(first, count, step)
}

/**
 * The gamma function of any number except whole numbers below 1: by Stirling's series for an argument shifted
 * above bits/4, and by Γ(x) Γ(1 - x) = pi / sin(pi x) below 1/2.
 * @see https://dlmf.nist.gov/5.11 (the error is below the first omitted term, 5.11(ii))
 */
export function gamma(x: Ball, bits: number, workspace: Workspace): Ball {
  if (bits > MAX_BITS) throw new TooWide()
  if (topOf(x) > MAX_TOP) throw new CalcError('value', 'the factorial or gamma of a number is too large')
  const half = exactBall(1n, -1)
  const side = signOf(subtractBalls(x, half, bits))
  if (side === null && signOf(x) !== 1) throw new TooWide()
  return checkMagnitude(side === -1 ? reflect(x, bits, workspace) : stirling(x, bits, workspace))
}

function reflect(x: Ball, bits: number, workspace: Workspace): Ball {
  const pi = piBall(bits + 16, workspace)
  const { sine } = sineAndCosine(multiplyBalls(pi, x, bits + 16), bits, workspace)
  const other = stirling(subtractBalls(exactBall(1n), x, bits + 16), bits, workspace)
  return divideBalls(pi, multiplyBalls(sine, other, bits + 16), bits)
}

function stirling(x: Ball, bits: number, workspace: Workspace): Ball {
  const width = bits + 64
  let [z, product] = [x, exactBall(1n)]
  while (topOf(z) < Math.log2(bits / 4) + 1) {
    product = multiplyBalls(product, z, width)
    z = addBalls(z, exactBall(1n), width)
    workspace.spendProducts(2, width)
  }
  // ln Γ(z) = (z - 1/2) ln z - z + ln(2 pi) / 2 + the sum of B2k / (2k (2k - 1) z^(2k - 1)).
  const logZ = logarithm(z, width, workspace)
  const twoPi = { ...piBall(width, workspace), exponent: 1 - width }
  const start = [
    multiplyBalls(subtractBalls(z, exactBall(1n, -1), width), logZ, width),
    { ...z, middle: -z.middle },
    multiplyBalls(logarithm(twoPi, width, workspace), exactBall(1n, -1), width),
  ].reduce((sum, ball) => addBalls(sum, ball, width))
  const inverse = divideBalls(exactBall(1n), z, width)
  const square = multiplyBalls(inverse, inverse, width)
  let [sum, power] = [start, inverse]
  for (let index = 2; ; index += 2) {
    const factor = multiplyRationals(workspace.bernoulli(index), rational(1n, BigInt(index * (index - 1))))
    const term = multiplyBalls(ballOf(factor, width), power, width)
    if (topOf(term) < -width) {
      sum = widen(sum, 1n, -width)
      break
    }
    sum = addBalls(sum, term, width)
    power = multiplyBalls(power, square, width)
    workspace.spendProducts(5, width)
  }
  return divideBalls(exponential(sum, width, workspace), product, bits + 16)
}
