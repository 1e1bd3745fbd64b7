import { CalcError } from '../calc-error.ts'
import { add, compare, divide, multiply, negate, subtract } from './arithmetic.ts'
import { signOf, topOf, widen } from './ball.ts'
import { exponentialOf, logarithmOf } from './logarithms.ts'
import { integer, isZero, type Numeric, real, signOfNumber, toBall } from './number.ts'
import { rootOf } from './power.ts'
import type { Workspace } from './workspace.ts'

/** From 2^20 on, tanh differs from 1 by less than 2^-3000000. */
const TANH_IS_ONE_TOP = 21

export function sinhOf(x: Numeric, workspace: Workspace): Numeric {
  const power = exponentialOf(x, workspace)
  const difference = subtract(power, divide(integer(1), power, workspace), workspace)
  return nearlyItself(x, divide(difference, integer(2), workspace), workspace)
}

export function coshOf(x: Numeric, workspace: Workspace): Numeric {
  const power = exponentialOf(x, workspace)
  return divide(add(power, divide(integer(1), power, workspace), workspace), integer(2), workspace)
}

export function tanhOf(x: Numeric, workspace: Workspace): Numeric {
  const square = exponentialOf(multiply(integer(2), x, workspace), workspace)
  const quotient = divide(
    subtract(square, integer(1), workspace),
    add(square, integer(1), workspace),
    workspace,
  )
  const near = nearlyItself(x, quotient, workspace)
  if (near.kind !== 'real') return near
  return real((bits) => {
    const ball = toBall(x, bits, workspace)
    if (topOf(ball) < TANH_IS_ONE_TOP) return near.at(bits)
    const one = { middle: 1n << BigInt(bits), radius: 1n, exponent: -bits }
    return signOf(ball) === -1 ? { ...one, middle: -one.middle } : one
  })
}

/** ln(x + sqrt(x² + 1)), computed for |x|, where nothing cancels. */
export function arsinhOf(x: Numeric, workspace: Workspace): Numeric {
  if (signOfNumber(x, workspace) < 0) return negate(arsinhOf(negate(x), workspace))
  const root = rootOf(add(multiply(x, x, workspace), integer(1), workspace), 2n, workspace)
  return nearlyItself(x, logarithmOf(add(x, root, workspace), workspace), workspace)
}

/** ln(x + sqrt(x² - 1)). @throws CalcError below 1. */
export function arcoshOf(x: Numeric, workspace: Workspace): Numeric {
  if (compare(x, integer(1), workspace) < 0) throw new CalcError('value', 'acosh takes numbers of at least 1')
  const root = rootOf(subtract(multiply(x, x, workspace), integer(1), workspace), 2n, workspace)
  return logarithmOf(add(x, root, workspace), workspace)
}

/** ln((1 + x) / (1 - x)) / 2. @throws CalcError unless the number is between -1 and 1. */
export function artanhOf(x: Numeric, workspace: Workspace): Numeric {
  const one = integer(1)
  if (compare(x, one, workspace) >= 0 || compare(x, negate(one), workspace) <= 0)
    throw new CalcError('value', 'atanh takes numbers between -1 and 1')
  const quotient = divide(add(one, x, workspace), subtract(one, x, workspace), workspace)
  return nearlyItself(x, divide(logarithmOf(quotient, workspace), integer(2), workspace), workspace)
}

/**
 * A function f with f(x) = x (1 + c x² + ...) and |c| <= 1/3. Near 0 its formula would cancel; there x itself
 * is the value, with an error below |x|³.
 */
function nearlyItself(x: Numeric, formula: Numeric, workspace: Workspace): Numeric {
  if (isZero(x)) return x
  return real((bits) => {
    const ball = toBall(x, bits, workspace)
    const top = topOf(ball)
    return top < -bits / 2 - 4 ? widen(ball, 1n, 3 * top) : toBall(formula, bits, workspace)
  })
}
