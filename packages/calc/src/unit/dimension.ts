import { CURRENCIES } from './currencies.ts'

/**
 * The base dimensions of quantities: the seven SI base units, plus the bit and the radian, which are counted
 * separately, and each currency.
 */
export const BASE_UNITS = ['kg', 'm', 's', 'A', 'K', 'mol', 'cd', 'bit', 'rad', ...CURRENCIES] as const

export type BaseUnit = (typeof BASE_UNITS)[number]

/** The power of each base unit; a base unit that is absent has power 0. */
export type Dimension = Readonly<Partial<Record<BaseUnit, number>>>

export const NO_DIMENSION: Dimension = Object.freeze({})

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
