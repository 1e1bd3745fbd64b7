import { BASE_UNITS, combine, type Dimension, isSameDimension, NO_DIMENSION } from './dimension.ts'
import { findUnit, type Unit } from './find-unit.ts'

/** Units and their powers, in the order in which they were written. */
export type UnitProduct = readonly { readonly unit: Unit; readonly power: number }[]

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

export function toBaseUnits(dimension: Dimension): UnitProduct {
  return BASE_UNITS.flatMap((name) => {
    const [unit, power] = [findUnit(name), dimension[name]]
    return unit && power ? [{ unit, power }] : []
  })
}
