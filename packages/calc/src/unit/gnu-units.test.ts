import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask } from '@tollbook/testing/utility/calculator'
import { comparedUnits, DEFINITIONS, TOLERANCE } from '@tollbook/testing/utility/gnu-units'
import type { UnitDefinition } from './unit-definition.ts'

const CASES = join(import.meta.dirname, '../golden/gnu-units-cases.tsv')

test('every unit has a case among those of GNU units, except units that cannot be compared', () => {
  const first = new Set(
    readFileSync(CASES, 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1]),
  )
  const missing = comparedUnits().filter(({ symbol, base }) => base !== '1' && !first.has(symbol))
  assert.deepEqual(
    missing.map(({ symbol }) => symbol),
    [],
  )
})

test('generated conversions agree with GNU units in all the digits that it prints', () => {
  const cases = readFileSync(CASES, 'utf8').trim().split('\n')
  const wrong = cases.filter((line) => {
    const [expression = '', expected] = line.split('\t')
    const actual = Number(ask(expression).scientific)
    return !(Math.abs(actual / Number(expected) - 1) < TOLERANCE)
  })
  assert.deepEqual(wrong, [])
  assert.equal(cases.length, 1000)
})

test('every name belongs to one unit only', () => {
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
