import { bitLength, floorDivide, greatestCommonDivisor } from './integer.ts'

/** An exact fraction in lowest terms; the denominator is positive. */
export type Rational = { readonly numerator: bigint; readonly denominator: bigint }

export const ZERO: Rational = Object.freeze({ numerator: 0n, denominator: 1n })
export const ONE: Rational = Object.freeze({ numerator: 1n, denominator: 1n })

/** The fraction in lowest terms; the denominator must not be 0. */
export function rational(numerator: bigint, denominator = 1n): Rational {
  if (denominator === 0n) throw new RangeError('a denominator is 0')
  if (denominator === 1n) return { numerator, denominator }
  const divisor = greatestCommonDivisor(numerator, denominator)
  const sign = denominator < 0n ? -1n : 1n
  return { numerator: (sign * numerator) / divisor, denominator: (sign * denominator) / divisor }
}

export function addRationals(a: Rational, b: Rational): Rational {
  if (a.denominator === b.denominator) return rational(a.numerator + b.numerator, a.denominator)
  return rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
}

export function negateRational(a: Rational): Rational {
  return { numerator: -a.numerator, denominator: a.denominator }
}

export function subtractRationals(a: Rational, b: Rational): Rational {
  return addRationals(a, negateRational(b))
}

export function multiplyRationals(a: Rational, b: Rational): Rational {
  return rational(a.numerator * b.numerator, a.denominator * b.denominator)
}

/** @throws RangeError if the divisor is 0. */
export function divideRationals(a: Rational, b: Rational): Rational {
  return rational(a.numerator * b.denominator, a.denominator * b.numerator)
}

/** `base` to a whole power; the result needs no reduction, since the base is in lowest terms. */
export function raiseRational(base: Rational, exponent: number): Rational {
  const power = BigInt(Math.abs(exponent))
  const raised = { numerator: base.numerator ** power, denominator: base.denominator ** power }
  if (exponent >= 0) return raised
  if (raised.numerator === 0n) throw new RangeError('a denominator is 0')
  const sign = raised.numerator < 0n ? -1n : 1n
  return { numerator: sign * raised.denominator, denominator: sign * raised.numerator }
}

/** Negative, 0 or positive if the first is less than, equal to or greater than the second. */
export function compareRationals(a: Rational, b: Rational): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function isInteger(value: Rational): boolean {
  return value.denominator === 1n
}

export function floorRational(value: Rational): bigint {
  return floorDivide(value.numerator, value.denominator)
}

/** The larger of the bit lengths of numerator and denominator, which determines the cost of arithmetic. */
export function rationalBits(value: Rational): number {
  return Math.max(bitLength(value.numerator), bitLength(value.denominator))
}

/** Parses `12`, `-0.25`, `1e-3` or `1/3` exactly. @throws RangeError if the text is not such a number. */
export function parseRational(text: string): Rational {
  const match = /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?(?:\/(\d+))?$/.exec(text)
  if (!match) throw new RangeError(`not a number: ${text}`)
  const [, whole = '', decimals = '', exponent = '0', divisor = '1'] = match
  const shift = Number(exponent) - decimals.length
  const digits = BigInt(whole + decimals)
  const numerator = shift > 0 ? digits * 10n ** BigInt(shift) : digits
  return rational(numerator, BigInt(divisor) * (shift < 0 ? 10n ** BigInt(-shift) : 1n))
}

/** Writes `p` or `p/q`. */
export function formatRational({ numerator, denominator }: Rational): string {
  return denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`
}
