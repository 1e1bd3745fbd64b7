import { addBalls, divideBalls, multiplyBalls, negateBall } from './ball.ts'
import { floorDivide } from './integer.ts'
import type { Numeric } from './number.ts'
import {
  floorOfNumber,
  fraction,
  integer,
  isZero,
  liftTwo,
  MAX_FRACTION_BITS,
  multipleOfPi,
  signOfNumber,
} from './number.ts'
import type { Rational } from './rational.ts'
import { addRationals, divideRationals, multiplyRationals, negateRational, rationalBits } from './rational.ts'
import type { Workspace } from './workspace.ts'

export function negate(number: Numeric): Numeric {
  switch (number.kind) {
    case 'rational':
      return { kind: 'rational', value: negateRational(number.value) }
    case 'pi':
      return { ...number, factor: negateRational(number.factor) }
    case 'real':
      return { kind: 'real', at: (bits) => negateBall(number.at(bits)) }
  }
}

export function add(a: Numeric, b: Numeric, workspace: Workspace): Numeric {
  if (a.kind === 'rational' && b.kind === 'rational') {
    const [x, y] = [a.value, b.value]
    if (x.denominator === y.denominator) return fraction(x.numerator + y.numerator, x.denominator, workspace)
    workspace.spendProduct(x.numerator, y.denominator)
    workspace.spendProduct(y.numerator, x.denominator)
    const numerator = x.numerator * y.denominator + y.numerator * x.denominator
    return fraction(numerator, x.denominator * y.denominator, workspace)
  }
  if (isZero(a)) return b
  if (isZero(b)) return a
  if (a.kind === 'pi' && b.kind === 'pi' && a.power === b.power)
    return multipleOfPi(addRationals(a.factor, b.factor), a.power)
  return liftTwo([a, b], workspace, addBalls)
}

export function subtract(a: Numeric, b: Numeric, workspace: Workspace): Numeric {
  return add(a, negate(b), workspace)
}

export function multiply(a: Numeric, b: Numeric, workspace: Workspace): Numeric {
  if (a.kind === 'rational' && b.kind === 'rational') {
    const [x, y] = [a.value, b.value]
    workspace.spendProduct(x.numerator, y.numerator)
    workspace.spendProduct(x.denominator, y.denominator)
    return fraction(x.numerator * y.numerator, x.denominator * y.denominator, workspace)
  }
  if (isZero(a)) return a
  if (isZero(b)) return b
  const [one, other] = [toPower(a), toPower(b)]
  if (one && other) return multipleOfPi(multiplyRationals(one.factor, other.factor), one.power + other.power)
  return liftTwo([a, b], workspace, multiplyBalls)
}

/** @throws CalcError if the divisor is 0. */
export function divide(a: Numeric, b: Numeric, workspace: Workspace): Numeric {
  if (b.kind === 'rational' && (a.kind === 'rational' || isZero(b))) {
    const [x, y] = [a.kind === 'rational' ? a.value : b.value, b.value]
    workspace.spendProduct(x.numerator, y.denominator)
    workspace.spendProduct(x.denominator, y.numerator)
    return fraction(x.numerator * y.denominator, x.denominator * y.numerator, workspace)
  }
  if (isZero(a)) return a
  const [one, other] = [toPower(a), toPower(b)]
  if (one && other) return multipleOfPi(divideRationals(one.factor, other.factor), one.power - other.power)
  return liftTwo([a, b], workspace, divideBalls)
}

/** A number as a fraction times a power of pi (power 0 for a plain fraction); null if the fraction is long. */
function toPower(number: Numeric): { readonly factor: Rational; readonly power: number } | null {
  if (number.kind === 'real') return null
  const { factor, power } = number.kind === 'pi' ? number : { factor: number.value, power: 0 }
  return rationalBits(factor) <= MAX_FRACTION_BITS ? { factor, power } : null
}

/** The quotient rounded down (floor). @throws CalcError if `b` is 0. */
export function divideDown(a: Numeric, b: Numeric, workspace: Workspace): Numeric {
  if (a.kind !== 'rational' || b.kind !== 'rational' || isZero(b))
    return integer(floorOfNumber(divide(a, b, workspace), workspace))
  // Does not use the quotient, which is exact only up to a limited length.
  const [x, y] = [a.value, b.value]
  workspace.spendProduct(x.numerator, y.denominator)
  workspace.spendProduct(x.denominator, y.numerator)
  const [dividend, divisor] = [x.numerator * y.denominator, x.denominator * y.numerator]
  workspace.spendDivision(dividend, divisor)
  return integer(floorDivide(dividend, divisor))
}

/** The remainder of `a` after the quotient rounded down; it has the sign of `b`. */
export function modulo(a: Numeric, b: Numeric, workspace: Workspace): Numeric {
  return subtract(a, multiply(b, divideDown(a, b, workspace), workspace), workspace)
}

/** -1, 0 or 1 if the first is less than, equal to or greater than the second. */
export function compare(a: Numeric, b: Numeric, workspace: Workspace): -1 | 0 | 1 {
  return signOfNumber(subtract(a, b, workspace), workspace)
}

export function absoluteOf(number: Numeric, workspace: Workspace): Numeric {
  return signOfNumber(number, workspace) < 0 ? negate(number) : number
}
