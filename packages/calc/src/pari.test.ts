import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CALC_BUDGET } from '@tollbook/testing/utility/calculator'
import { withAllDigits } from '@tollbook/testing/utility/typed/judge-typed'
import { CalcError } from './calc-error.ts'
import { calculate } from './calculate.ts'

const CASES = join(import.meta.dirname, 'golden/pari-cases.tsv')

function answer(expression: string): string {
  try {
    return withAllDigits(calculate(expression, { angle: 'rad', budget: CALC_BUDGET }).scientific ?? '')
  } catch (error) {
    if (error instanceof CalcError) return error.message
    throw error
  }
}

test('5,000 generated expressions agree with PARI/GP in all 50 digits', () => {
  const cases = readFileSync(CASES, 'utf8').trim().split('\n')
  const wrong = cases.flatMap((line) => {
    const [expression = '', right] = line.split('\t')
    const actual = answer(expression)
    return actual === right ? [] : [`${expression}: ${actual}, but PARI/GP has ${right}`]
  })
  assert.deepEqual(wrong, [])
  assert.equal(cases.length, 5000)
})
