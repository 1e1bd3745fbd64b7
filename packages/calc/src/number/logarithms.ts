import { CalcError } from '../calc-error.ts'
import { divide } from './arithmetic.ts'
import { exponential, logarithm } from './elementary.ts'
import type { Numeric } from './number.ts'
import { integer, isZero, liftOne, MAX_FRACTION_BITS, refine, signOfNumber, toInteger } from './number.ts'
import type { Rational } from './rational.ts'
import { raiseRational, rationalBits } from './rational.ts'
import type { Workspace } from './workspace.ts'

/** Denominators that are tried, so that log(8, 4) is exactly 3/2. */
const MAX_DENOMINATOR = 12

/** e to the x. */
export function exponentialOf(x: Numeric, workspace: Workspace): Numeric {
  if (isZero(x)) return integer(1)
  return liftOne(x, workspace, (ball, bits) => exponential(ball, bits, workspace))
}

/** The natural logarithm. @throws CalcError if the number is 0 or less. */
export function logarithmOf(x: Numeric, workspace: Workspace): Numeric {
  if (signOfNumber(x, workspace) <= 0)
    throw new CalcError('value', 'the logarithm of 0 or a negative number is not defined')
  if (toInteger(x) === 1n) return integer(0)
  return liftOne(x, workspace, (ball, bits) => logarithm(ball, bits, workspace))
}

/** The logarithm to any base above 0 except 1; exact if it is a fraction with a small denominator. */
export function logarithmToBase(x: Numeric, base: Numeric, workspace: Workspace): Numeric {
  const [top, bottom] = [logarithmOf(x, workspace), logarithmOf(base, workspace)]
  if (isZero(bottom)) throw new CalcError('value', 'the logarithm to base 1 is not defined')
  const quotient = divide(top, bottom, workspace)
  if (x.kind !== 'rational' || base.kind !== 'rational' || quotient.kind !== 'real') return quotient
  return exactLogarithm(x.value, base.value, quotient, workspace) ?? quotient
}

/** The fraction p/q with x^q = base^p, or null. */
function exactLogarithm(
  x: Rational,
  base: Rational,
  quotient: Numeric,
  workspace: Workspace,
): Numeric | null {
  // For a base near 1, a few bits do not tell its logarithm from 0.
  const ball = refine(quotient, workspace, (found) => found)
  if (ball === null) return null
  const near = Number(ball.middle) * 2 ** ball.exponent
  for (let q = 1; q <= MAX_DENOMINATOR; q++) {
    const p = Math.round(near * q)
    // Out of the range of doubles, or clearly not a multiple of 1/q.
    if (Math.abs(near * q - p) > 1e-9 || Math.abs(p) > 2 ** 31) continue
    const bits = q * rationalBits(x)
    if (bits > MAX_FRACTION_BITS * 64 || Math.abs(p) * (rationalBits(base) - 1) > bits + 64) return null
    workspace.spendProducts(8, bits)
    const [left, right] = [raiseRational(x, q), raiseRational(base, p)]
    if (left.numerator === right.numerator && left.denominator === right.denominator)
      return { kind: 'rational', value: { numerator: BigInt(p), denominator: BigInt(q) } }
  }
  return null
}
