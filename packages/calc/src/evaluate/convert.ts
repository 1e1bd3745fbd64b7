import { CalcError } from '../calc-error.ts'
import { divide, multiply } from '../number/arithmetic.ts'
import { integer, multipleOfPi, type Numeric } from '../number/number.ts'
import { rational } from '../number/rational.ts'
import type { Workspace } from '../number/workspace.ts'
import { isCurrency } from '../unit/currencies.ts'
import { combine, type Dimension, isSameDimension, NO_DIMENSION, withoutAngle } from '../unit/dimension.ts'
import { printUnits, type UnitProduct } from '../unit/unit-product.ts'
import { type Quantity, requirePossible } from './quantity.ts'

const FREQUENCY: Dimension = { s: -1 }
const TIME: Dimension = { s: 1 }
const ROTATION: Dimension = { s: -1, rad: 1 }
const LENGTH: Dimension = { m: 1 }
const VOLUME: Dimension = { m: 3 }

export type Conversion = {
  readonly from: Quantity
  /** The target as written. */
  readonly to: Quantity
  /** The target as one unit, if it has a factor. */
  readonly target: Quantity
  /** Whether the quantity is a number with a unit, rather than the result of a calculation. */
  readonly isSingle: boolean
}

/**
 * Converts a quantity to other units. Besides units of the same dimension, these convert: radians and plain
 * numbers; rotational speeds and frequencies (1 rpm is 1/60 Hz); and two reciprocals: miles per gallon and
 * litres per kilometre, and a frequency in hertz and the period in seconds.
 * @throws CalcError if the units measure different things.
 */
export function convertQuantity({ from, to, target, isSingle }: Conversion, workspace: Workspace): Quantity {
  const shown = {
    units: target.units,
    isMeasured: from.isMeasured || target.isMeasured,
    dimension: target.dimension,
  }
  if (isSameDimension(withoutAngle(from.dimension), withoutAngle(to.dimension))) {
    const [only, ...others] = target.units
    const isPoint = others.length === 0 && only?.power === 1 && only.unit.offset !== null
    return requirePossible({ ...shown, isPoint, number: countTurns(from, to, workspace) }, workspace)
  }
  const isReciprocal = isSameDimension(from.dimension, combine(NO_DIMENSION, to.dimension, -1))
  if (isReciprocal && (isConsumptionPair(from, to) || (isSingle && isPeriodPair(from, to))))
    return { ...shown, isPoint: false, number: divide(integer(1), from.number, workspace) }
  throw new CalcError('value', describeMismatch(from, to, isReciprocal))
}

function isConsumptionPair(from: Quantity, to: Quantity): boolean {
  return isConsumption(from.units) && isConsumption(to.units)
}

/** `mpg`, `km/l` and `l/km`: the quotient of one length and one volume. */
function isConsumption(units: UnitProduct): boolean {
  const [one, other, ...more] = units
  if (!one || more.length > 0) return false
  if (!other) return one.unit.symbol === 'mpg' && Math.abs(one.power) === 1
  const isQuotient = Math.abs(one.power) === 1 && one.power === -other.power
  const has = (dimension: Dimension) => units.some(({ unit }) => isSameDimension(unit.dimension, dimension))
  return isQuotient && has(LENGTH) && has(VOLUME)
}

/** A frequency in hertz and a time. */
function isPeriodPair(from: Quantity, to: Quantity): boolean {
  const [one, other] = [from, to].map(({ units }) =>
    units.length === 1 && units[0]?.power === 1 ? units[0].unit : null,
  )
  const isHertz = (unit: typeof one) => unit?.symbol.endsWith('Hz') === true
  const isTime = (unit: typeof one) => unit != null && isSameDimension(unit.dimension, TIME)
  return (isHertz(one) && isTime(other)) || (isTime(one) && isHertz(other))
}

function describeMismatch(from: Quantity, to: Quantity, isReciprocal: boolean): string {
  const [one, other] = [from, to].map(({ units }) => printUnits(units) || 'a plain number')
  if ([from, to].every(({ units }) => units.some(({ unit }) => isCurrency(unit.symbol))))
    return `cannot convert ${one} to ${other}: there are no exchange rates here`
  const hint = isReciprocal
    ? `one is the reciprocal of the other (put the divisor of a division in parentheses, or write 1/(…) to ${other})`
    : 'they measure different things'
  return `cannot convert ${one} to ${other}: ${hint}`
}

/** Between an angle per time and a frequency, one turn counts as one cycle. */
function countTurns(from: Quantity, to: Quantity, workspace: Workspace): Numeric {
  const turn = multipleOfPi(rational(2n))
  const isPair = (one: Dimension, other: Dimension) =>
    isSameDimension(from.dimension, one) && isSameDimension(to.dimension, other)
  if (isPair(ROTATION, FREQUENCY)) return divide(from.number, turn, workspace)
  if (isPair(FREQUENCY, ROTATION)) return multiply(from.number, turn, workspace)
  return from.number
}
