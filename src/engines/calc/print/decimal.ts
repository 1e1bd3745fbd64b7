import type { SignificantDigits } from './significant-digits.ts'
import { SIGNIFICANT_DIGITS } from './significant-digits.ts'

/** Smaller numbers are printed with an exponent, as in JavaScript. */
const MIN_PLAIN_EXPONENT = -7

/**
 * Prints `12.5` or `0.001`, or uses an exponent if the digits do not reach the point or are far behind it.
 */
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
