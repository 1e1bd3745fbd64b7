import { CalcError } from '../calc-error.ts'
import type { Ball } from './ball.ts'
import { ballOf, divideBalls, exactBall, multiplyBalls, raiseBall, signOf, TooWide } from './ball.ts'
import { checkMagnitude } from './elementary.ts'
import { bitLength } from './integer.ts'
import type { Rational } from './rational.ts'
import { floorRational, isInteger, rational, rationalBits, ZERO } from './rational.ts'
import { piBall } from './trigonometry.ts'
import type { Workspace } from './workspace.ts'

/** Whole numbers are stored exactly up to this size, which fits 20,000!. */
export const MAX_INTEGER_BITS = 262_144
/** Fractions are stored exactly up to this size; beyond it, greatest common divisors take too long. */
export const MAX_FRACTION_BITS = 2048
/** 50 significant digits are 167 bits; the rest covers the loss of a few operations. */
const FIRST_BITS = 224
/** About 1,100 digits. Chosen: two different numbers in practice do not agree to so many digits. */
const LAST_BITS = 3584

/** A real number: exact if possible, otherwise computable to any number of bits. */
export type Numeric =
  | { readonly kind: 'rational'; readonly value: Rational }
  /**
   * A nonzero fraction times a nonzero power of pi, so that sines of exact angles are exact and units with
   * pi, such as the degree, cancel out.
   */
  | { readonly kind: 'pi'; readonly factor: Rational; readonly power: number }
  | { readonly kind: 'real'; readonly at: (bits: number) => Ball }

/**
 * The exact fraction of two whole numbers; a real if the fraction is too long.
 * @throws CalcError if it is a whole number beyond the limit, or the denominator is 0.
 */
export function fraction(numerator: bigint, denominator: bigint, workspace: Workspace): Numeric {
  if (denominator === 0n) throw new CalcError('value', 'division by zero')
  if (denominator === 1n) return wholeNumber(numerator)
  const bits = Math.max(bitLength(numerator), bitLength(denominator))
  if (bits <= 2 * MAX_FRACTION_BITS + 64) {
    workspace.spendDivisor(bits)
    const value = rational(numerator, denominator)
    if (isInteger(value)) return wholeNumber(value.numerator)
    if (rationalBits(value) <= MAX_FRACTION_BITS) return { kind: 'rational', value }
  } else {
    workspace.spendDivision(numerator, denominator)
    const quotient = numerator / denominator
    if (quotient * denominator === numerator) return wholeNumber(quotient)
  }
  return real((precision) => shorten({ numerator, denominator }, precision, workspace))
}

function wholeNumber(numerator: bigint): Numeric {
  checkIntegerSize(bitLength(numerator))
  return { kind: 'rational', value: { numerator, denominator: 1n } }
}

/** @throws CalcError if a whole number of this many bits exceeds the limit. */
export function checkIntegerSize(bits: number): void {
  if (bits <= MAX_INTEGER_BITS) return
  const digits = bits * Math.log10(2)
  const size = digits < Number.MAX_SAFE_INTEGER ? `about ${Math.round(digits)}` : 'more than 10^15'
  throw new CalcError('value', `a whole number has ${size} digits (limit 78913)`)
}

export function integer(value: number | bigint): Numeric {
  return wholeNumber(BigInt(value))
}

/** A fraction times a power of pi. */
export function multipleOfPi(factor: Rational, power = 1): Numeric {
  if (factor.numerator === 0n) return { kind: 'rational', value: ZERO }
  return power === 0 ? { kind: 'rational', value: factor } : { kind: 'pi', factor, power }
}

/** A number that is computed lazily; it is recomputed only if more bits are needed. */
export function real(compute: (bits: number) => Ball): Numeric {
  let cached: { readonly bits: number; readonly ball: Ball } | null = null
  return {
    kind: 'real',
    at(bits) {
      if (!cached || cached.bits < bits) cached = { bits, ball: checkMagnitude(compute(bits)) }
      return cached.ball
    },
  }
}

/** Any number as a ball of about this many bits. */
export function toBall(number: Numeric, bits: number, workspace: Workspace): Ball {
  switch (number.kind) {
    case 'rational':
      return shorten(number.value, bits, workspace)
    case 'pi':
      return multiplyBalls(ballOf(number.factor, bits), powerOfPi(number.power, bits, workspace), bits)
    case 'real':
      return number.at(bits)
  }
}

function powerOfPi(power: number, bits: number, workspace: Workspace): Ball {
  if (power === 1) return piBall(bits, workspace)
  const size = BigInt(Math.abs(power))
  workspace.spendProducts(4 * bitLength(size), bits)
  // Each squaring loses one or two bits.
  const longer = bits + 2 * bitLength(size)
  const raised = raiseBall(piBall(longer, workspace), size, longer)
  return power > 0 ? raised : divideBalls(exactBall(1n), raised, bits)
}

function shorten(value: Rational, bits: number, workspace: Workspace): Ball {
  // Measuring the length of a long number takes about half a nanosecond per bit and happens a few times.
  workspace.spend(500 + 4 * rationalBits(value))
  return ballOf(value, bits)
}

/** Lifts a function on balls to real numbers. */
export function liftOne(
  x: Numeric,
  workspace: Workspace,
  compute: (ball: Ball, bits: number) => Ball,
): Numeric {
  return real((bits) => {
    workspace.spendProducts(2, bits)
    return compute(toBall(x, bits, workspace), bits)
  })
}

/** Lifts a function of two balls to real numbers. */
export function liftTwo(
  numbers: readonly [Numeric, Numeric],
  workspace: Workspace,
  compute: (one: Ball, other: Ball, bits: number) => Ball,
): Numeric {
  return real((bits) => {
    workspace.spendProducts(2, bits)
    return compute(toBall(numbers[0], bits, workspace), toBall(numbers[1], bits, workspace), bits)
  })
}

/**
 * Evaluates a number with more and more bits until `decide` returns a decision; null if 1,100 digits are not
 * enough.
 */
export function refine<Decision>(
  number: Numeric,
  workspace: Workspace,
  decide: (ball: Ball) => Decision | null,
): Decision | null {
  for (let bits = FIRST_BITS; bits <= LAST_BITS; bits *= 2) {
    try {
      const decision = decide(toBall(number, bits, workspace))
      if (decision !== null) return decision
    } catch (error) {
      if (!(error instanceof TooWide)) throw error
    }
  }
  return null
}

/** The sign: -1, 0 or 1. @throws CalcError if 1,100 digits do not tell the number from 0. */
export function signOfNumber(number: Numeric, workspace: Workspace): -1 | 0 | 1 {
  if (number.kind !== 'real') {
    const { numerator } = number.kind === 'pi' ? number.factor : number.value
    return numerator < 0n ? -1 : numerator > 0n ? 1 : 0
  }
  const sign = refine(number, workspace, signOf)
  if (sign === null) throw new CalcError('value', 'cannot tell a number from 0 with 1,100 digits')
  return sign
}

/**
 * The largest whole number that is not above this one.
 * @throws CalcError if 1,100 digits do not tell the number from a whole one.
 */
export function floorOfNumber(number: Numeric, workspace: Workspace): bigint {
  if (number.kind === 'rational') {
    workspace.spendDivision(number.value.numerator, number.value.denominator)
    return floorRational(number.value)
  }
  const floor = refine(number, workspace, ({ middle, radius, exponent }) => {
    if (exponent >= 0) return radius === 0n ? middle << BigInt(exponent) : null
    const [low, high] = [middle - radius, middle + radius].map((end) => end >> BigInt(-exponent))
    return low === high ? (low ?? null) : null
  })
  if (floor === null)
    throw new CalcError('value', 'cannot tell a number from a whole number with 1,100 digits')
  return floor
}

export function isZero(number: Numeric): boolean {
  return number.kind === 'rational' && number.value.numerator === 0n
}

/** The value as a whole number, or null; a real never counts as whole. */
export function toInteger(number: Numeric): bigint | null {
  return number.kind === 'rational' && isInteger(number.value) ? number.value.numerator : null
}
