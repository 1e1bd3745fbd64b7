import { CalcError } from '@tollbook/calc/calc-error'
import { calculate } from '@tollbook/calc/calculate'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { CALC_BUDGET } from '@tollbook/testing/utility/calculator'
import { drawExpression } from './draw-expressions.ts'

export type ExpressionsResult = {
  readonly values: number
  /** Rejected as not an expression, without a value, or as too much work. */
  readonly refusals: number
  /** Expressions with any other outcome, and that outcome. */
  readonly violations: readonly string[]
}

/** Computes drawn expressions: each must return a value or throw the calculator's own error (`CalcError`). */
export function fuzzExpressions(options: {
  readonly count: number
  readonly seed: number
  readonly onExpression?: (done: number) => void
}): ExpressionsResult {
  const random = createRandom(options.seed)
  const violations: string[] = []
  let [values, refusals] = [0, 0]
  for (let done = 1; done <= options.count; done += 1) {
    const expression = drawExpression(random)
    try {
      const { result } = calculate(expression, { angle: done % 2 === 0 ? 'deg' : 'rad', budget: CALC_BUDGET })
      if (result === '') violations.push(`an empty result: ${expression}`)
      values += 1
    } catch (error) {
      if (error instanceof CalcError) refusals += 1
      else violations.push(`${error}: ${expression}`)
    }
    options.onExpression?.(done)
  }
  return { values, refusals, violations }
}
