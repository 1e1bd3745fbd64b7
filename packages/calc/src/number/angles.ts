import { CalcError } from '../calc-error.ts'
import { add, compare, divide, negate } from './arithmetic.ts'
import type { Ball } from './ball.ts'
import { addBalls, divideBalls, exactBall, multiplyBalls, squareRootOfBall, subtractBalls } from './ball.ts'
import type { Numeric } from './number.ts'
import { integer, liftOne, multipleOfPi, signOfNumber } from './number.ts'
import type { Rational } from './rational.ts'
import {
  compareRationals,
  floorRational,
  formatRational,
  negateRational,
  ONE,
  parseRational,
  rational,
  subtractRationals,
} from './rational.ts'
import { arcTangent, sineAndCosine } from './trigonometry.ts'
import type { Workspace } from './workspace.ts'

/** Multiples of pi between 0 and 1/2 whose sine is a fraction; by Niven's theorem there are no others. */
const EXACT_SINES: readonly (readonly [multipleOfPi: string, sine: string])[] = [
  ['0', '0'],
  ['1/6', '1/2'],
  ['1/2', '1'],
]
/** Multiples of pi between 0 and 1/2 whose tangent is a fraction; there are no others. */
const EXACT_TANGENTS: readonly (readonly [multipleOfPi: string, tangent: string])[] = [
  ['0', '0'],
  ['1/4', '1'],
]
const HALF = parseRational('1/2')

/** The sine of an angle in radians; exact for the multiples of pi at which it is a fraction. */
export function sineOf(x: Numeric, workspace: Workspace): Numeric {
  const multiple = toMultipleOfPi(x)
  return (
    (multiple && exactSine(multiple)) ??
    liftOne(x, workspace, (ball, bits) => sineAndCosine(ball, bits, workspace).sine)
  )
}

export function cosineOf(x: Numeric, workspace: Workspace): Numeric {
  const multiple = toMultipleOfPi(x)
  return (
    (multiple && exactSine(subtractRationals(HALF, multiple))) ??
    liftOne(x, workspace, (ball, bits) => sineAndCosine(ball, bits, workspace).cosine)
  )
}

/** @throws CalcError at odd multiples of pi/2. */
export function tangentOf(x: Numeric, workspace: Workspace): Numeric {
  const multiple = toMultipleOfPi(x)
  return (
    (multiple && exactTangent(multiple)) ??
    liftOne(x, workspace, (ball, bits) => {
      const { sine, cosine } = sineAndCosine(ball, bits, workspace)
      return divideBalls(sine, cosine, bits)
    })
  )
}

/** The angle from -pi/2 to pi/2 with this sine. @throws CalcError outside -1 to 1. */
export function arcSineOf(x: Numeric, workspace: Workspace): Numeric {
  const multiple = exactArc(EXACT_SINES, x)
  if (multiple) return multipleOfPi(multiple)
  requireSineRange(x, workspace)
  // asin x = 2 atan(x / (1 + sqrt(1 - x²))).
  return liftOne(x, workspace, (ball, bits) => {
    const one = exactBall(1n)
    const root = squareRootOfBall(subtractBalls(one, multiplyBalls(ball, ball, 2 * bits), bits), bits)
    return double(arcTangent(divideBalls(ball, addBalls(one, root, bits), bits), bits, workspace))
  })
}

/** The angle from 0 to pi with this cosine. @throws CalcError outside -1 to 1. */
export function arcCosineOf(x: Numeric, workspace: Workspace): Numeric {
  const multiple = exactArc(EXACT_SINES, x)
  if (multiple) return multipleOfPi(subtractRationals(HALF, multiple))
  requireSineRange(x, workspace)
  // acos x = 2 atan(sqrt((1 - x) / (1 + x))), which has no cancellation near 1.
  return liftOne(x, workspace, (ball, bits) => {
    const one = exactBall(1n)
    const quotient = divideBalls(subtractBalls(one, ball, bits), addBalls(one, ball, bits), bits)
    return double(arcTangent(squareRootOfBall(quotient, bits), bits, workspace))
  })
}

/** The angle between -pi/2 and pi/2 with this tangent. */
export function arcTangentOf(x: Numeric, workspace: Workspace): Numeric {
  const multiple = exactArc(EXACT_TANGENTS, x)
  if (multiple) return multipleOfPi(multiple)
  return liftOne(x, workspace, (ball, bits) => arcTangent(ball, bits, workspace))
}

/** The angle of the point (x, y), from above -pi up to pi. @throws CalcError at the origin. */
export function arcTangentOfCoordinates(y: Numeric, x: Numeric, workspace: Workspace): Numeric {
  const [signY, signX] = [signOfNumber(y, workspace), signOfNumber(x, workspace)]
  if (signX === 0 && signY === 0) throw new CalcError('value', 'atan2(0, 0) is not defined')
  if (signY === 0) return multipleOfPi(rational(signX < 0 ? 1n : 0n))
  if (signX === 0) return multipleOfPi(rational(BigInt(signY), 2n))
  const angle = arcTangentOf(divide(y, x, workspace), workspace)
  return signX > 0 ? angle : add(angle, multipleOfPi(rational(BigInt(signY))), workspace)
}

/** The exact fraction of pi that an angle is, or null. */
function toMultipleOfPi(x: Numeric): Rational | null {
  if (x.kind === 'pi') return x.power === 1 ? x.factor : null
  return x.kind === 'rational' && x.value.numerator === 0n ? x.value : null
}

function exactSine(multiple: Rational): Numeric | null {
  const rest = subtractRationals(
    multiple,
    rational(2n * floorRational(rational(multiple.numerator, 2n * multiple.denominator))),
  )
  const isLowerHalf = compareRationals(rest, ONE) >= 0
  const upper = isLowerHalf ? subtractRationals(rest, ONE) : rest
  return lookUp(EXACT_SINES, upper, isLowerHalf)
}

function exactTangent(multiple: Rational): Numeric | null {
  const rest = subtractRationals(multiple, rational(floorRational(multiple)))
  const side = compareRationals(rest, HALF)
  if (side === 0) throw new CalcError('value', 'the tangent of a right angle is not defined')
  return lookUp(EXACT_TANGENTS, rest, side > 0)
}

/** The value at a multiple of pi from 0 to 1; the tables end at 1/2, and the other half follows by symmetry. */
function lookUp(table: typeof EXACT_SINES, multiple: Rational, isNegative: boolean): Numeric | null {
  const near = compareRationals(multiple, HALF) > 0 ? subtractRationals(ONE, multiple) : multiple
  const entry = table.find(([key]) => key === formatRational(near))?.[1]
  if (entry === undefined) return null
  const value = parseRational(entry)
  return { kind: 'rational', value: isNegative ? negateRational(value) : value }
}

/** The multiple of pi at which a table contains this value or its negative, or null. */
function exactArc(table: typeof EXACT_SINES, x: Numeric): Rational | null {
  if (x.kind !== 'rational') return null
  const isNegative = x.value.numerator < 0n
  const size = formatRational(isNegative ? negateRational(x.value) : x.value)
  const entry = table.find(([, value]) => value === size)?.[0]
  if (entry === undefined) return null
  return isNegative ? negateRational(parseRational(entry)) : parseRational(entry)
}

function requireSineRange(x: Numeric, workspace: Workspace): void {
  const one = integer(1)
  if (compare(x, one, workspace) > 0 || compare(x, negate(one), workspace) < 0)
    throw new CalcError('value', 'asin and acos take numbers from -1 to 1')
}

function double(ball: Ball): Ball {
  return { ...ball, exponent: ball.exponent + 1 }
}
