import { CalcError } from '../calc-error.ts'
import { add, divide, multiply, negate, subtract } from '../number/arithmetic.ts'
import type { Numeric } from '../number/number.ts'
import { integer, multipleOfPi } from '../number/number.ts'
import { raise } from '../number/power.ts'
import { ONE, type Rational } from '../number/rational.ts'
import type { Workspace } from '../number/workspace.ts'
import type { Dimension } from '../unit/dimension.ts'
import { combine, isDimensionless, isSameDimension, NO_DIMENSION, withoutAngle } from '../unit/dimension.ts'
import type { Unit } from '../unit/find-unit.ts'
import { findUnit } from '../unit/find-unit.ts'
import type { UnitProduct } from '../unit/unit-product.ts'
import { multiplyUnits, printUnits, raiseUnits } from '../unit/unit-product.ts'

/** A number with or without a unit. */
export type Quantity = {
  /** The value in base units. */
  readonly number: Numeric
  readonly dimension: Dimension
  /** The units as written; they are also used for output. */
  readonly units: UnitProduct
  /** Whether this is a point on an offset scale, such as 20 degC, rather than a difference. */
  readonly isPoint: boolean
  /** Whether it depends on a measured constant. */
  readonly isMeasured: boolean
}

export function plain(number: Numeric): Quantity {
  return { number, dimension: NO_DIMENSION, units: [], isPoint: false, isMeasured: false }
}

/** One of this unit; for an offset unit, a difference of one degree. */
export function oneOf(unit: Unit, workspace: Workspace): Quantity {
  return {
    number: sizeOf(unit, workspace),
    dimension: unit.dimension,
    units: [{ unit, power: 1 }],
    isPoint: false,
    isMeasured: unit.isMeasured,
  }
}

/** A point on an offset scale. @throws TypeError for other units. */
export function pointOf(amount: Numeric, unit: Unit, workspace: Workspace): Quantity {
  if (!unit.offset) throw new TypeError(`${unit.symbol} has no offset`)
  const moved = add(amount, { kind: 'rational', value: unit.offset }, workspace)
  const number = multiply(moved, sizeOf(unit, workspace), workspace)
  return requirePossible({ ...oneOf(unit, workspace), number, isPoint: true }, workspace)
}

/** @throws CalcError for a temperature below absolute zero. */
export function requirePossible(quantity: Quantity, workspace: Workspace): Quantity {
  const { number, isPoint, units } = quantity
  if (!isPoint || number.kind !== 'rational' || number.value.numerator >= 0n) return quantity
  const zero = numberIn({ ...quantity, number: integer(0) }, units, workspace)
  const lowest = zero.kind === 'rational' ? ` (${formatDecimal(zero.value)} ${printUnits(units)})` : ''
  throw new CalcError('value', `a temperature below absolute zero${lowest} does not exist`)
}

/** -273.15 and -459.67: the zeros of the scales have two decimals. */
function formatDecimal({ numerator, denominator }: Rational): string {
  return (Number((numerator * 100n) / denominator) / 100).toString()
}

/** The quantity without percent and other dimensionless units; these are printed only if no operation follows. */
export function withoutShares(quantity: Quantity): Quantity {
  return isDimensionless(quantity.dimension) ? { ...quantity, units: [] } : quantity
}

/** The number in these units, for output. */
export function numberIn(quantity: Quantity, units: UnitProduct, workspace: Workspace): Numeric {
  const size = units.reduce<Numeric>(
    (product, { unit, power }) =>
      multiply(product, raise(sizeOf(unit, workspace), integer(power), workspace), workspace),
    integer(1),
  )
  const number = divide(quantity.number, size, workspace)
  const offset = quantity.isPoint ? units[0]?.unit.offset : null
  return offset ? add(number, negate({ kind: 'rational', value: offset }), workspace) : number
}

/** @throws CalcError if the units do not match. */
export function addQuantities(a: Quantity, b: Quantity, workspace: Workspace): Quantity {
  requireSameDimension(a, b)
  if (a.isPoint && b.isPoint)
    throw new CalcError('value', 'cannot add two temperatures on a scale: write one in K')
  const sum = {
    ...(a.units.length > 0 && !b.isPoint ? a : b.units.length > 0 ? b : a),
    number: add(a.number, b.number, workspace),
    isPoint: a.isPoint || b.isPoint,
    isMeasured: a.isMeasured || b.isMeasured,
  }
  return requirePossible(sum, workspace)
}

/** @throws CalcError if the units do not match. */
export function subtractQuantities(a: Quantity, b: Quantity, workspace: Workspace): Quantity {
  if (b.isPoint && !a.isPoint)
    throw new CalcError('value', 'cannot subtract a temperature on a scale from a difference')
  if (a.isPoint && b.isPoint) {
    const difference = subtract(a.number, b.number, workspace)
    return { ...a, number: difference, units: toDifferences(a.units), isPoint: false }
  }
  return addQuantities(a, negateQuantity(b), workspace)
}

/** The units of the difference between two points: degC becomes delta_degC. */
function toDifferences(units: UnitProduct): UnitProduct {
  return units.flatMap(({ unit, power }) => {
    const difference = findUnit(`delta_${unit.symbol}`)
    return difference ? [{ unit: difference, power }] : []
  })
}

export function negateQuantity(a: Quantity): Quantity {
  return { ...a, number: negate(requireNoPoint(a).number) }
}

export function multiplyQuantities(a: Quantity, b: Quantity, workspace: Workspace): Quantity {
  return {
    number: multiply(requireNoPoint(a).number, requireNoPoint(b).number, workspace),
    dimension: combine(a.dimension, b.dimension),
    units: joinUnits(a.units, b.units, workspace),
    isPoint: false,
    isMeasured: a.isMeasured || b.isMeasured,
  }
}

/** @throws CalcError if the divisor is 0. */
export function divideQuantities(a: Quantity, b: Quantity, workspace: Workspace): Quantity {
  return {
    number: divide(requireNoPoint(a).number, requireNoPoint(b).number, workspace),
    dimension: combine(a.dimension, b.dimension, -1),
    units: joinUnits(a.units, raiseUnits(b.units, -1), workspace),
    isPoint: false,
    isMeasured: a.isMeasured || b.isMeasured,
  }
}

function joinUnits(one: UnitProduct, other: UnitProduct, workspace: Workspace): UnitProduct {
  if (one.length === 0) return other
  // Every unit is compared with every other.
  workspace.spend(5000 * (one.length + other.length) ** 2)
  return multiplyUnits(one, other)
}

/** @throws CalcError if the exponent has a unit, or a unit would get a fractional power. */
export function raiseQuantity(base: Quantity, exponent: Quantity, workspace: Workspace): Quantity {
  const power = requirePlain(exponent, 'an exponent')
  const number = raise(requireNoPoint(base).number, power, workspace)
  if (isDimensionless(base.dimension) && base.units.length === 0) return { ...base, number }
  return { ...base, number, ...raiseDimension(base, power) }
}

/** The dimension and units raised to a power; the resulting powers must be whole. */
export function raiseDimension(base: Quantity, power: Numeric): Pick<Quantity, 'dimension' | 'units'> {
  if (power.kind !== 'rational') throw new CalcError('value', 'a unit can only be raised to a whole power')
  const { numerator, denominator } = power.value
  const exponent = Number(numerator) / Number(denominator)
  const dimension = combine(NO_DIMENSION, base.dimension, exponent)
  if (!Object.values(dimension).every((value) => Number.isInteger(value) && Math.abs(value) <= 1000))
    throw new CalcError('value', `cannot raise ${printUnits(base.units)} to the power ${exponent}`)
  return { dimension, units: raiseUnits(base.units, exponent) }
}

/**
 * The number of a quantity that must be without a unit; angles count in radians.
 * @throws CalcError if it has a unit.
 */
export function requirePlain(quantity: Quantity, what: string): Numeric {
  if (isDimensionless(withoutAngle(requireNoPoint(quantity).dimension))) return quantity.number
  throw new CalcError(
    'value',
    `${what} must be a plain number, not a quantity in ${printUnits(quantity.units)}`,
  )
}

/** @throws CalcError if two quantities cannot be added or compared. */
export function requireSameDimension(a: Quantity, b: Quantity): void {
  if (isSameDimension(withoutAngle(a.dimension), withoutAngle(b.dimension))) return
  const [one, other] = [a, b].map(({ units }) => printUnits(units) || 'a plain number')
  throw new CalcError('value', `${one} and ${other} measure different things${hintOf(a, b) || hintOf(b, a)}`)
}

function hintOf({ units }: Quantity, other: Quantity): string {
  const symbol = printUnits(units)
  if (symbol === 'K' && isDimensionless(other.dimension)) return ' (K is the kelvin; write 10k for 10,000)'
  const isTime = isSameDimension(other.dimension, { s: 1 })
  return symbol === 'm' && isTime ? ' (m is the metre; write min for minutes)' : ''
}

/** @throws CalcError for a point on an offset scale, which cannot be multiplied. */
export function requireNoPoint(quantity: Quantity): Quantity {
  if (!quantity.isPoint) return quantity
  const symbol = printUnits(quantity.units)
  throw new CalcError(
    'value',
    `cannot multiply a temperature in ${symbol}: write it in K, or a difference as delta_${symbol}`,
  )
}

function sizeOf({ ratio, piPower }: Unit, workspace: Workspace): Numeric {
  const number: Numeric = { kind: 'rational', value: ratio }
  return multiply(number, raise(multipleOfPi(ONE), integer(piPower), workspace), workspace)
}
