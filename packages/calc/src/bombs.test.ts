import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BOMBS } from '@tollbook/testing/utility/calc-bombs'
import { CALC_BUDGET } from '@tollbook/testing/utility/calculator'
import { CalcError } from './calc-error.ts'
import { calculate } from './calculate.ts'

/** The outcome of an expression. */
function run(expression: string): string {
  try {
    calculate(expression, { angle: 'rad', budget: CALC_BUDGET })
    return 'answered'
  } catch (error) {
    if (!(error instanceof CalcError)) throw error
    return error.kind === 'value' ? 'no value' : error.kind
  }
}

test('costly expressions end within the budget, with the expected outcome', () => {
  for (const [expression, expected] of Object.entries(BOMBS)) {
    const outcome = run(expression)
    if (expected !== 'any') assert.equal(outcome, expected, expression.slice(0, 40))
  }
})

test('a number of 1,000 digits is parsed and printed', () => {
  const digits = '7'.repeat(1000)
  assert.equal(calculate(digits, { angle: 'rad', budget: CALC_BUDGET }).result, digits)
})
