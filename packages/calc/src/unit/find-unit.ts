import {
  multiplyRationals,
  parseRational,
  type Rational,
  raiseRational,
  rational,
} from '../number/rational.ts'
import { CURRENCY_UNITS } from './currency-units.ts'
import { CUSTOMARY_UNITS } from './customary-units.ts'
import { BASE_UNITS, combine, type Dimension, NO_DIMENSION } from './dimension.ts'
import { SI_UNITS } from './si-units.ts'
import { TECHNICAL_UNITS } from './technical-units.ts'
import { BINARY_PREFIXES, DECIMAL_PREFIXES, type UnitDefinition } from './unit-definition.ts'

/** A unit by its size in base units: ratio · pi^piPower. */
export type Unit = {
  /** The symbol that is printed, including the prefix. */
  readonly symbol: string
  readonly ratio: Rational
  readonly piPower: number
  readonly dimension: Dimension
  /** For a scale with its own 0: added to a number before the multiplication. */
  readonly offset: Rational | null
  /** Whether the size is measured rather than defined. */
  readonly isMeasured: boolean
}

const ALL_UNITS: readonly UnitDefinition[] = [
  ...SI_UNITS,
  ...CUSTOMARY_UNITS,
  ...TECHNICAL_UNITS,
  ...CURRENCY_UNITS,
]
const BY_SYMBOL = indexBy((unit) => unit.symbols)
const BY_WORD = indexBy((unit) => unit.words ?? '')

/**
 * Finds a unit by name, or returns null. Symbols are case-sensitive, words are not; both may have a prefix if
 * their unit allows it.
 */
export function findUnit(text: string): Unit | null {
  const name = text.normalize('NFC').replaceAll(/[µμ]/g, 'u')
  const definition = BY_SYMBOL.get(name) ?? findWord(name)
  if (definition) return resolve(definition)
  return findPrefixed(name)
}

/** Names that differ from this one only in case, for a hint. */
export function findSimilarUnits(text: string): readonly string[] {
  const lower = text.toLowerCase()
  const prefixes = [
    '',
    ...DECIMAL_PREFIXES.map(([symbol]) => symbol),
    ...BINARY_PREFIXES.map(([symbol]) => symbol),
  ]
  const similar = ALL_UNITS.flatMap((unit) =>
    prefixes
      .filter((prefix) => prefix === '' || takesPrefix(unit, prefix))
      .map((prefix) => prefix + symbolOf(unit)),
  ).filter((symbol) => symbol.toLowerCase() === lower)
  return [...new Set(similar)].slice(0, 3)
}

function indexBy(namesOf: (unit: UnitDefinition) => string): ReadonlyMap<string, UnitDefinition> {
  const names = ALL_UNITS.flatMap((unit) =>
    namesOf(unit)
      .split(' ')
      .map((name) => [name, unit] as const),
  )
  return new Map(names.filter(([name]) => name !== ''))
}

function findWord(name: string): UnitDefinition | undefined {
  const word = name.toLowerCase()
  return BY_WORD.get(word) ?? (word.endsWith('s') ? BY_WORD.get(word.slice(0, -1)) : undefined)
}

function findPrefixed(name: string): Unit | null {
  for (const [table, base] of [
    [DECIMAL_PREFIXES, 10n],
    [BINARY_PREFIXES, 1024n],
  ] as const)
    for (const [symbol, word, power] of table) {
      const definition =
        (name.startsWith(symbol) ? BY_SYMBOL.get(name.slice(symbol.length)) : undefined) ??
        (name.toLowerCase().startsWith(word) ? findWord(name.slice(word.length)) : undefined)
      if (!definition || !takesPrefix(definition, symbol)) continue
      const unit = resolve(definition)
      const ratio = multiplyRationals(unit.ratio, raiseRational(rational(base), power))
      return { ...unit, ratio, symbol: symbol + unit.symbol }
    }
  return null
}

function takesPrefix({ prefixes }: UnitDefinition, symbol: string): boolean {
  if (prefixes === undefined) return false
  if (BINARY_PREFIXES.some(([binary]) => binary === symbol)) return prefixes === 'data'
  // A millibit makes no sense, but `mb` is often written for a megabit.
  return prefixes === 'si' || DECIMAL_PREFIXES.some(([decimal, , power]) => decimal === symbol && power >= 3)
}

function symbolOf(definition: UnitDefinition): string {
  return definition.symbols.split(' ')[0] ?? ''
}

/** Expands a definition to base units. */
function resolve(definition: UnitDefinition): Unit {
  const [number = '1', ...factors] = definition.is.split(' ')
  const start: Unit = {
    symbol: symbolOf(definition),
    ratio: parseRational(number),
    piPower: 0,
    dimension: NO_DIMENSION,
    offset: definition.offset === undefined ? null : parseRational(definition.offset),
    isMeasured: definition.source === 'codata',
  }
  return factors.reduce((unit, factor) => {
    const [name = '', power = '1'] = factor.split('^')
    return multiplyUnit(unit, name, Number(power))
  }, start)
}

function multiplyUnit(unit: Unit, name: string, power: number): Unit {
  if (name === 'pi') return { ...unit, piPower: unit.piPower + power }
  const base = BASE_UNITS.find((candidate) => candidate === name)
  if (base) return { ...unit, dimension: combine(unit.dimension, { [base]: power }) }
  const other = findUnit(name)
  if (!other) throw new TypeError(`a unit is defined by an unknown unit: ${name}`)
  return {
    ...unit,
    ratio: multiplyRationals(unit.ratio, raiseRational(other.ratio, power)),
    piPower: unit.piPower + power * other.piPower,
    dimension: combine(unit.dimension, other.dimension, power),
    isMeasured: unit.isMeasured || other.isMeasured,
  }
}
