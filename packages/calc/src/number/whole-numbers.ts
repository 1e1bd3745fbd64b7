import { CalcError } from '../calc-error.ts'
import { absolute, bitLength, greatestCommonDivisor, powerModulo } from './integer.ts'
import { integer, type Numeric, toInteger } from './number.ts'
import type { Workspace } from './workspace.ts'

/** The value as a whole number. @throws CalcError if it is not whole. */
export function requireInteger(x: Numeric, what: string): bigint {
  const whole = toInteger(x)
  if (whole === null) throw new CalcError('value', `${what} must be a whole number`)
  return whole
}

export function commonDivisorOf(numbers: readonly Numeric[], workspace: Workspace): Numeric {
  return integer(
    numbers
      .map((number) => requireInteger(number, 'an argument of gcd'))
      .reduce((divisor, whole) => divide(divisor, whole, workspace), 0n),
  )
}

/** The least common multiple; 0 if one of the numbers is 0. */
export function commonMultipleOf(numbers: readonly Numeric[], workspace: Workspace): Numeric {
  return numbers
    .map((number) => requireInteger(number, 'an argument of lcm'))
    .reduce<Numeric>((multiple, whole) => {
      const previous = toInteger(multiple) ?? 0n
      if (previous === 0n || whole === 0n) return integer(0)
      return integer(absolute(previous / divide(previous, whole, workspace)) * absolute(whole))
    }, integer(1))
}

/** x^y modulo m, 0 to |m| - 1, without computing x^y. @throws CalcError if y < 0 or m = 0. */
export function powerModuloOf(x: Numeric, y: Numeric, m: Numeric, workspace: Workspace): Numeric {
  const [base, exponent, modulus] = [x, y, m].map((number) => requireInteger(number, 'an argument of powmod'))
  if (base === undefined || exponent === undefined || modulus === undefined)
    throw new TypeError('three numbers')
  if (modulus === 0n) throw new CalcError('value', 'division by zero: modulo 0')
  if (exponent < 0n) throw new CalcError('value', 'the exponent of powmod must not be negative')
  // One squaring, one product and their remainders per bit.
  workspace.spendProducts(4 * bitLength(exponent), bitLength(modulus))
  return integer(powerModulo(base, exponent, absolute(modulus)))
}

function divide(one: bigint, other: bigint, workspace: Workspace): bigint {
  workspace.spendDivisor(Math.max(bitLength(one), bitLength(other)))
  return greatestCommonDivisor(one, other)
}
