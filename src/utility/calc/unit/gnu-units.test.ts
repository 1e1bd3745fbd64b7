import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { CUSTOMARY_UNITS } from './customary-units.ts'
import { findUnit } from './find-unit.ts'
import { SI_UNITS } from './si-units.ts'
import { TECHNICAL_UNITS } from './technical-units.ts'
import type { UnitDefinition } from './unit-definition.ts'
import { printUnits, toBaseUnits } from './unit-product.ts'

/** Doubles of GNU units carry 15 digits, of which conversions lose the last ones. */
const TOLERANCE = 1e-13

/** What GNU units calls ours, where no name is the same. */
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
  julian_year: 'julianyear',
}
/** Where GNU units means something else, and why ours stays. */
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

const DEFINITIONS = [...SI_UNITS, ...CUSTOMARY_UNITS, ...TECHNICAL_UNITS]

/** What one of a unit is in base units, or null where GNU units does not know the name. */
function askUnits(name: string, base: string): number | null {
  const from = name.replaceAll('_', '')
  const { stdout, status } = spawnSync('units', ['-t', '-o', '%.15g', from, base], { encoding: 'utf8' })
  return status === 0 ? Number(stdout) : null
}

/** Our symbol, our size in base units, and how GNU units may call it. */
function describeUnit({ symbols, words = '' }: UnitDefinition) {
  const [symbol = '', ...others] = symbols.split(' ')
  const unit = findUnit(symbol)
  assert.ok(unit, symbol)
  const { numerator, denominator } = unit.ratio
  return {
    symbol,
    size: (Number(numerator) / Number(denominator)) * Math.PI ** unit.piPower,
    base: printUnits(toBaseUnits(unit.dimension)).replaceAll('rad', 'radian') || '1',
    names: [OTHER_NAMES[symbol] ?? symbol, ...words.split(' '), ...others].filter((name) => name !== ''),
  }
}

test('every unit has the size that GNU units gives it', (t) => {
  if (spawnSync('units', ['--version']).status !== 0)
    return t.skip('units is not installed (Debian: apt-get install units)')
  const wrong = DEFINITIONS.filter(({ offset }) => offset === undefined)
    .map(describeUnit)
    .filter(({ symbol }) => !DIFFERENT.has(symbol))
    .filter(({ names, base, size }) => {
      const isSame = (name: string) => Math.abs((askUnits(name, base) ?? 0) / size - 1) < TOLERANCE
      return !names.some(isSame)
    })
  assert.deepEqual(
    wrong.map(({ symbol, size, base }) => `${symbol} = ${size} ${base}`),
    [],
  )
})

test('no name stands for two units', () => {
  for (const namesOf of [
    (unit: UnitDefinition) => unit.symbols,
    (unit: UnitDefinition) => unit.words ?? '',
  ]) {
    const names = DEFINITIONS.flatMap((unit) => namesOf(unit).split(' ')).filter((name) => name !== '')
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    )
  }
})
