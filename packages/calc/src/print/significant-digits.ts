import { CalcError } from '../calc-error.ts'
import {
  type Ball,
  divideBalls,
  exactBall,
  multiplyBalls,
  negateBall,
  raiseBall,
  signOf,
  topOf,
} from '../number/ball.ts'
import { absolute, bitLength } from '../number/integer.ts'
import { type Numeric, refine } from '../number/number.ts'
import { type Rational, rationalBits } from '../number/rational.ts'
import type { Workspace } from '../number/workspace.ts'

/** The number of significant digits of a result. */
export const SIGNIFICANT_DIGITS = 50 as const

/** The leading digits of a number: d.ddd... times 10^exponent. */
export type SignificantDigits = {
  readonly isNegative: boolean
  /** Without leading zeros; `0` for 0. */
  readonly digits: string
  readonly exponent: number
  /** Whether the digits are exact and complete. */
  readonly isComplete: boolean
}

/** Above this size exact division takes too long, and the digits are computed as those of a real. */
const MAX_EXACT_BITS = 16_384

const ZERO_DIGITS: SignificantDigits = { isNegative: false, digits: '0', exponent: 0, isComplete: true }

/** Smaller numbers are printed with an exponent, as in JavaScript. */
const MIN_PLAIN_EXPONENT = -7

/**
 * The first 50 digits, rounded half away from 0. A real that cannot be distinguished from 0 by 1,100 digits
 * is returned as 0.
 * @throws CalcError if the digits cannot be determined otherwise.
 */
export function toSignificantDigits(number: Numeric, workspace: Workspace): SignificantDigits {
  if (number.kind === 'rational' && rationalBits(number.value) <= MAX_EXACT_BITS)
    return roundRational(number.value)
  const digits = refine(number, workspace, (ball) => roundBall(ball, workspace))
  if (digits) return digits
  const isNearlyZero = refine(number, workspace, (ball) =>
    signOf(ball) === null && topOf(ball) < -3000 ? true : null,
  )
  if (isNearlyZero) return { ...ZERO_DIGITS, isComplete: false }
  throw new CalcError('value', 'the result cannot be determined with 1,100 digits')
}

function roundRational({ numerator, denominator }: Rational): SignificantDigits {
  if (numerator === 0n) return ZERO_DIGITS
  const size = absolute(numerator)
  // The quotient is between 2^(difference - 1) and 2^(difference + 1), so the guess is at most 1 too low.
  const difference = bitLength(size) - bitLength(denominator)
  let exponent = Math.floor((difference - 1) * Math.log10(2))
  if (timesPowerOfTen(size, -exponent - 1) >= timesPowerOfTen(denominator, exponent + 1)) exponent++
  const shift = SIGNIFICANT_DIGITS - 1 - exponent
  const [dividend, divisor] = [timesPowerOfTen(size, shift), timesPowerOfTen(denominator, -shift)]
  const rounded = (2n * dividend + divisor) / (2n * divisor)
  return settle(rounded, { isNegative: numerator < 0n, exponent, isComplete: dividend % divisor === 0n })
}

/** The digits shared by every number in the ball, or null if they differ. */
function roundBall(ball: Ball, workspace: Workspace): SignificantDigits | null {
  const sign = signOf(ball)
  if (sign === null) return null
  if (sign === 0) return ZERO_DIGITS
  const size = sign < 0 ? negateBall(ball) : ball
  const guess = Math.floor((topOf(size) - 1) * Math.log10(2))
  for (const exponent of [guess, guess + 1]) {
    const rounded = roundToInteger(timesPowerOfTenBall(size, SIGNIFICANT_DIGITS - 1 - exponent, workspace))
    if (rounded === null) return null
    if (rounded <= 10n ** BigInt(SIGNIFICANT_DIGITS))
      return settle(rounded, { isNegative: sign < 0, exponent, isComplete: false })
  }
  return null
}

function roundToInteger({ middle, radius, exponent }: Ball): bigint | null {
  if (exponent >= 0) return radius === 0n ? middle << BigInt(exponent) : null
  const [shift, half] = [BigInt(-exponent), 1n << BigInt(-exponent - 1)]
  const [low, high] = [(middle - radius + half) >> shift, (middle + radius + half) >> shift]
  return low === high ? low : null
}

/** `value` times 10^power; unchanged for a negative power, which then applies to the other operand. */
function timesPowerOfTen(value: bigint, power: number): bigint {
  return power > 0 ? value * 10n ** BigInt(power) : value
}

function timesPowerOfTenBall(ball: Ball, power: number, workspace: Workspace): Ball {
  const bits = bitLength(ball.middle) + 64
  if (power === 0) return ball
  const size = Math.abs(power)
  workspace.spendProducts(4 * bitLength(BigInt(size)), bits)
  const scale = raiseBall(exactBall(10n), BigInt(size), bits)
  return power > 0 ? multiplyBalls(ball, scale, bits) : divideBalls(ball, scale, bits)
}

/** Rounding may have carried into an additional digit. */
function settle(rounded: bigint, rest: Omit<SignificantDigits, 'digits'>): SignificantDigits {
  const text = rounded.toString()
  const digits = text.slice(0, SIGNIFICANT_DIGITS)
  return {
    ...rest,
    exponent: rest.exponent + text.length - SIGNIFICANT_DIGITS,
    digits: rest.isComplete ? digits.replace(/0+$/, '') : digits,
  }
}

/** Prints `12.5` or `0.001`, or uses an exponent if the digits do not reach the point or are far behind it. */
export function printDecimal(number: SignificantDigits): string {
  const { isNegative, digits, exponent } = number
  if (exponent < MIN_PLAIN_EXPONENT || exponent >= SIGNIFICANT_DIGITS) return printScientific(number)
  const sign = isNegative ? '-' : ''
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const decimals = digits.slice(exponent + 1)
  return `${sign}${whole}${decimals && `.${decimals}`}`
}

/** Prints `1.25e1`: one digit before the point, and always an exponent. */
export function printScientific({ isNegative, digits, exponent }: SignificantDigits): string {
  const decimals = digits.slice(1)
  return `${isNegative ? '-' : ''}${digits.charAt(0)}${decimals && `.${decimals}`}e${exponent}`
}
