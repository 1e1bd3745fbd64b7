import assert from 'node:assert/strict'
import { CalcError } from '@tollbook/calc/calc-error'
import type { Calculation } from '@tollbook/calc/calculate'
import { calculate } from '@tollbook/calc/calculate'

/** The work that the endpoint allows, in nanoseconds. */
export const CALC_BUDGET = 60_000_000

export function ask(expression: string, angle: 'rad' | 'deg' = 'rad'): Calculation {
  return calculate(expression, { angle, budget: CALC_BUDGET })
}

export function resultOf(expression: string, angle: 'rad' | 'deg' = 'rad'): string {
  return ask(expression, angle).result
}

/** `<result> <unit>`. */
export function quantityOf(expression: string): string {
  const { result, unit } = ask(expression)
  return `${result} ${unit}`
}

/** `<column> <message>` of the error. */
export function calcErrorOf(expression: string): string {
  try {
    return `no error: ${resultOf(expression)}`
  } catch (error) {
    assert.ok(error instanceof CalcError, String(error))
    return `${error.column} ${error.message}`
  }
}

/** Compares the results of all expressions with the expected ones at once. */
export function checkAll(
  expected: Readonly<Record<string, string>>,
  answer: (expression: string) => string = resultOf,
): void {
  const provided = Object.fromEntries(
    Object.keys(expected).map((expression) => [expression, answer(expression)]),
  )
  assert.deepEqual(provided, expected)
}
