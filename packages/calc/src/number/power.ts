import { CalcError } from '../calc-error.ts'
import { divide, negate } from './arithmetic.ts'
import { divideBalls, exactBall, multiplyBalls, raiseBall, squareRootOfBall } from './ball.ts'
import { exponential, logarithm } from './elementary.ts'
import { absolute, bitLength, integerRoot } from './integer.ts'
import {
  checkIntegerSize,
  integer,
  isZero,
  liftOne,
  liftTwo,
  MAX_FRACTION_BITS,
  multipleOfPi,
  type Numeric,
  signOfNumber,
  toInteger,
} from './number.ts'
import { isInteger, ONE, type Rational, raiseRational, rationalBits } from './rational.ts'
import type { Workspace } from './workspace.ts'

/** Up to this many squarings lose few bits; larger whole powers are computed through the logarithm. */
const MAX_SQUARINGS = 64
/** For higher degrees and longer numbers, no exact fractional root is searched. */
const MAX_EXACT_DEGREE = 1024
const MAX_EXACT_RADICAND_BITS = 32_768
/** Chosen: far above the powers of angles in any unit. */
const MAX_POWER_OF_PI = 1000

/**
 * `base` to the `exponent`. Whole powers and fractional roots are exact; 0^0 is 1.
 * @throws CalcError if the power is complex, divides by zero or is a whole number beyond the limit.
 */
export function raise(base: Numeric, exponent: Numeric, workspace: Workspace): Numeric {
  const whole = toInteger(exponent)
  if (whole !== null) return raiseToInteger(base, whole, workspace)
  const sign = signOfNumber(base, workspace)
  if (sign === 0) {
    if (signOfNumber(exponent, workspace) > 0) return integer(0)
    throw new CalcError('value', 'division by zero: 0 to a negative power')
  }
  if (sign < 0)
    throw new CalcError(
      'value',
      'a negative number to a fractional power is complex; for an odd root write root(x, n)',
    )
  if (base.kind === 'rational' && exponent.kind === 'rational') {
    const root = exactRoot(base.value, exponent.value.denominator, workspace)
    if (root) return raiseToInteger({ kind: 'rational', value: root }, exponent.value.numerator, workspace)
  }
  return powerByLogarithm(base, exponent, workspace)
}

/**
 * The real root of this degree; negative numbers have one only for odd degrees.
 * @throws CalcError if the degree is 0 or the root is complex.
 */
export function rootOf(number: Numeric, degree: bigint, workspace: Workspace): Numeric {
  if (degree === 0n) throw new CalcError('value', 'the root of degree 0 is not defined')
  if (degree < 0n) return divide(integer(1), rootOf(number, -degree, workspace), workspace)
  const sign = signOfNumber(number, workspace)
  if (sign === 0) return number
  if (sign < 0) {
    if (degree % 2n === 0n) throw new CalcError('value', 'an even root of a negative number is complex')
    return negate(rootOf(negate(number), degree, workspace))
  }
  const root = number.kind === 'rational' ? exactRoot(number.value, degree, workspace) : null
  if (root) return { kind: 'rational', value: root }
  if (degree === 2n) {
    return liftOne(number, workspace, (ball, bits) => {
      workspace.spendProducts(16, bits)
      return squareRootOfBall(ball, bits)
    })
  }
  return powerByLogarithm(
    number,
    { kind: 'rational', value: { numerator: 1n, denominator: degree } },
    workspace,
  )
}

function raiseToInteger(base: Numeric, exponent: bigint, workspace: Workspace): Numeric {
  if (exponent === 0n) return integer(1)
  if (exponent === 1n) return base
  if (isZero(base)) {
    if (exponent > 0n) return base
    throw new CalcError('value', 'division by zero: 0 to a negative power')
  }
  if (base.kind === 'rational') {
    const exactly = raiseExactly(base.value, exponent, workspace)
    if (exactly) return { kind: 'rational', value: exactly }
  }
  if (base.kind === 'pi') {
    const factor = raiseExactly(base.factor, exponent, workspace, MAX_FRACTION_BITS)
    const power = base.power * Number(exponent)
    if (factor && Math.abs(power) <= MAX_POWER_OF_PI) return multipleOfPi(factor, power)
  }
  if (bitLength(exponent) > MAX_SQUARINGS) return powerBySign(base, exponent, workspace)
  const size = absolute(exponent)
  return liftOne(base, workspace, (ball, bits) => {
    workspace.spendProducts(4 * bitLength(size), bits)
    const raised = raiseBall(ball, size, bits + 2 * bitLength(size))
    return exponent > 0n ? raised : divideBalls(exactBall(1n), raised, bits)
  })
}

/** The power as a fraction, or null if it is too long to be stored exactly. */
function raiseExactly(
  base: Rational,
  exponent: bigint,
  workspace: Workspace,
  maxWhole = Number.POSITIVE_INFINITY,
): Rational | null {
  const size = absolute(exponent)
  const { numerator, denominator } = base
  if (isInteger(base) && absolute(numerator) === 1n) return size % 2n === 0n ? ONE : base
  const isWhole = isInteger(base) && exponent > 0n
  // Checked before any work is done.
  const bits = Math.floor(Number(size) * Math.max(...[numerator, denominator].map(logarithmOfTwo)))
  if (bits > maxWhole) return null
  if (isWhole) checkIntegerSize(bits)
  else if (bits > MAX_FRACTION_BITS) return null
  workspace.spendProducts(1, bits)
  const raised = raiseRational(base, Number(exponent))
  return isWhole || rationalBits(raised) <= MAX_FRACTION_BITS ? raised : null
}

/** The logarithm to base 2 of a whole number's size, to the precision of a double. */
function logarithmOfTwo(value: bigint): number {
  const shift = Math.max(0, bitLength(value) - 53)
  return Math.log2(Number(absolute(value) >> BigInt(shift))) + shift
}

function powerBySign(base: Numeric, exponent: bigint, workspace: Workspace): Numeric {
  const isNegative = signOfNumber(base, workspace) < 0
  const power = powerByLogarithm(isNegative ? negate(base) : base, integer(exponent), workspace)
  return isNegative && exponent % 2n !== 0n ? negate(power) : power
}

/** x^y = e^(y ln x) for x above 0. */
function powerByLogarithm(base: Numeric, exponent: Numeric, workspace: Workspace): Numeric {
  return liftTwo([base, exponent], workspace, (x, y, bits) =>
    exponential(multiplyBalls(y, logarithm(x, bits, workspace), bits), bits, workspace),
  )
}

/** The root of a non-negative fraction as a fraction, or null. */
function exactRoot(value: Rational, degree: bigint, workspace: Workspace): Rational | null {
  const bits = rationalBits(value)
  if (degree > MAX_EXACT_DEGREE || bits > MAX_EXACT_RADICAND_BITS) return null
  workspace.spendProducts(20, bits)
  const [numerator, denominator] = [value.numerator, value.denominator].map((part) => {
    const root = integerRoot(part, Number(degree))
    return root ** degree === part ? root : null
  })
  return numerator != null && denominator != null ? { numerator, denominator } : null
}
