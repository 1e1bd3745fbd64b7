import { findUnit, type Unit } from './find-unit.ts'

/** Units and their powers, in the order in which they were written. */
export type UnitProduct = readonly { readonly unit: Unit; readonly power: number }[]

type BaseUnit = (typeof BASE_UNITS)[number]

/** The power of each base unit; a base unit that is absent has power 0. */
export type Dimension = Readonly<Partial<Record<BaseUnit, number>>>

/**
 * The base dimensions of quantities: the seven SI base units, plus the bit and the radian, which are counted
 * separately.
 */
export const BASE_UNITS = ['kg', 'm', 's', 'A', 'K', 'mol', 'cd', 'bit', 'rad'] as const

export const NO_DIMENSION: Dimension = Object.freeze({})

/**
 * The product of two products. If one dimension would appear in two units, such as km and m, everything is
 * converted to base units.
 */
export function multiplyUnits(one: UnitProduct, other: UnitProduct): UnitProduct {
  const symbols = new Set([...one, ...other].map(({ unit }) => unit.symbol))
  const merged = [...symbols].flatMap((symbol) => {
    const same = [...one, ...other].filter(({ unit }) => unit.symbol === symbol)
    const power = same.reduce((sum, { power: exponent }) => sum + exponent, 0)
    return same[0] && power !== 0 ? [{ unit: same[0].unit, power }] : []
  })
  const isMixed = merged.some(({ unit }, at) =>
    merged.slice(at + 1).some((later) => isSameDimension(unit.dimension, later.unit.dimension)),
  )
  return isMixed ? toBaseUnits(dimensionOf(merged)) : merged
}

/** Every power times `exponent`; base units if a power would not be whole. */
export function raiseUnits(units: UnitProduct, exponent: number): UnitProduct {
  const raised = units
    .map(({ unit, power }) => ({ unit, power: power * exponent }))
    .filter(({ power }) => power !== 0)
  if (raised.every(({ power }) => Number.isInteger(power))) return raised
  return toBaseUnits(combine(NO_DIMENSION, dimensionOf(units), exponent))
}

/** Prints `kg*m^2/s^2`, `W/(m^2*K)` or `1/s`; empty for no unit. */
export function printUnits(units: UnitProduct): string {
  const print = (some: UnitProduct) =>
    some
      .map(({ unit, power }) => unit.symbol + (Math.abs(power) === 1 ? '' : `^${Math.abs(power)}`))
      .join('*')
  const [above, below] = [units.filter(({ power }) => power > 0), units.filter(({ power }) => power < 0)]
  if (below.length === 0) return print(above)
  return `${print(above) || '1'}/${below.length > 1 ? `(${print(below)})` : print(below)}`
}

export function dimensionOf(units: UnitProduct): Dimension {
  return units.reduce((sum, { unit, power }) => combine(sum, unit.dimension, power), NO_DIMENSION)
}

/** The base units of a dimension. */
export function toBaseUnits(dimension: Dimension): UnitProduct {
  return BASE_UNITS.flatMap((name) => {
    const [unit, power] = [findUnit(name), dimension[name]]
    return unit && power ? [{ unit, power }] : []
  })
}

/** The dimension of one quantity times another raised to a power. */
export function combine(one: Dimension, other: Dimension, power = 1): Dimension {
  const powers = BASE_UNITS.map((unit) => [unit, (one[unit] ?? 0) + power * (other[unit] ?? 0)] as const)
  return Object.fromEntries(powers.filter(([, exponent]) => exponent !== 0))
}

export function isSameDimension(one: Dimension, other: Dimension): boolean {
  return BASE_UNITS.every((unit) => (one[unit] ?? 0) === (other[unit] ?? 0))
}

/** The dimension with the radian counted as 1, as in the SI. */
export function withoutAngle({ rad: _rad, ...rest }: Dimension): Dimension {
  return rest
}

export function isDimensionless(dimension: Dimension): boolean {
  return isSameDimension(dimension, NO_DIMENSION)
}
