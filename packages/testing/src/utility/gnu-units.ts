import { spawnSync } from 'node:child_process'
import { CUSTOMARY_UNITS } from '@tollbook/calc/unit/customary-units'
import { findUnit } from '@tollbook/calc/unit/find-unit'
import { SI_UNITS } from '@tollbook/calc/unit/si-units'
import { TECHNICAL_UNITS } from '@tollbook/calc/unit/technical-units'
import type { UnitDefinition } from '@tollbook/calc/unit/unit-definition'
import { printUnits, toBaseUnits } from '@tollbook/calc/unit/unit-product'

/** Doubles of GNU units have 15 digits, of which conversions lose the last ones. */
export const TOLERANCE = 1e-13
/** Of one run. */
const MAX_OUTPUT_BYTES = 100_000_000

/** GNU units' names of our units, where they differ. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  delta_degC: 'K',
  delta_degF: 'degF',
  sqft: 'ft^2',
  sqin: 'in^2',
  sqyd: 'yd^2',
  sqmi: 'mi^2',
  gn: 'gravity',
  ozf: 'ounce force',
  cmH2O: 'cm water',
  psf: 'lbf/ft^2',
  Cal: 'kcal',
  ft_lb: 'ft lbf',
  tTNT: '1e9 cal',
  molar: 'mol/l',
  Nm: 'N m',
  julian_year: 'julianyear',
}
/** Units with another meaning in GNU units, and why ours stays. */
const DIFFERENT: ReadonlySet<string> = new Set([
  // The printer's pica of 1/6.0225 in; ours is 1/6 in.
  'pica',
  // The tropical year; ours is the mean year of the calendar.
  'yr',
  'month',
  'decade',
  'century',
  'millennium',
  // The US therm of 1054.804 Btu; ours is the therm of 100,000 international Btu.
  'therm',
  // 206264.80625 au, rounded; ours is 648000/pi au.
  'pc',
  // CODATA 2018; ours is CODATA 2022.
  'u',
])

export const DEFINITIONS = [...SI_UNITS, ...CUSTOMARY_UNITS, ...TECHNICAL_UNITS]

/** One of our units with its candidates in GNU units. */
export type ComparedUnit = {
  readonly symbol: string
  /** In base units. */
  readonly size: number
  /** The base units, in GNU units' notation. */
  readonly base: string
  /** Possible names in GNU units, likeliest first. */
  readonly names: readonly string[]
}

/** Our units with the same meaning there; temperatures with an offset are omitted. */
export function comparedUnits(): readonly ComparedUnit[] {
  return DEFINITIONS.filter(({ offset }) => offset === undefined)
    .map(describeUnit)
    .filter(({ symbol }) => !DIFFERENT.has(symbol))
}

function describeUnit({ symbols, words = '' }: UnitDefinition): ComparedUnit {
  const [symbol = '', ...others] = symbols.split(' ')
  const unit = findUnit(symbol)
  if (!unit) throw new Error(`unknown unit ${symbol}`)
  const { numerator, denominator } = unit.ratio
  return {
    symbol,
    size: (Number(numerator) / Number(denominator)) * Math.PI ** unit.piPower,
    base: printUnits(toBaseUnits(unit.dimension)).replaceAll('rad', 'radian') || '1',
    names: [OTHER_NAMES[symbol] ?? symbol, ...words.split(' '), ...others].filter((name) => name !== ''),
  }
}

/** The factor from one unit to another, or null if GNU units does not know the names. */
export function askUnit(have: string, want: string): number | null {
  const from = have.replaceAll('_', '')
  const { stdout, status } = spawnSync('units', ['-t', '-o', '%.15g', from, want], { encoding: 'utf8' })
  return status === 0 ? Number(stdout) : null
}

/** GNU units' name for one of our units, or null if none has the same size. */
export function findName({ names, base, size }: ComparedUnit): string | null {
  const isSame = (name: string) => Math.abs((askUnit(name, base) ?? 0) / size - 1) < TOLERANCE
  return names.find(isSame)?.replaceAll('_', '') ?? null
}

/**
 * The factors from each first unit to each second one, by one run of GNU units, which must know all of them.
 */
export function askUnits(pairs: readonly (readonly [have: string, want: string])[]): readonly number[] {
  const input = pairs.map(([have, want]) => `${have}\n${want}\n`).join('')
  const { stdout } = spawnSync('units', ['-q', '-t', '-o', '%.15g'], {
    input,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  const answers = stdout.trim().split('\n')
  const wrong = answers.find((answer) => !/^-?[\d.]+(?:e[+-]?\d+)?$/.test(answer))
  if (wrong !== undefined || answers.length !== pairs.length)
    throw new Error(`GNU units returned ${answers.length} of ${pairs.length} answers: ${wrong}`)
  return answers.map(Number)
}
