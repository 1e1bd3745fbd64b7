import { createRandom } from '../../src/devchain/demo-week/random.ts'
import { CalcError } from '../../src/engines/calc/calc-error.ts'
import { calculate } from '../../src/engines/calc/calculate.ts'
import { CALC_BUDGET } from '../utility/calculator.ts'
import { drawExpression } from './draw-expressions.ts'

export type ExpressionsResult = {
  readonly values: number
  /** Refused as no expression, without a value, or as too much work. */
  readonly refusals: number
  /** Expressions that ended in any other way, with how. */
  readonly violations: readonly string[]
}

/** Computes drawn expressions: each must give a value or a refusal of its own (`CalcError`). */
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
