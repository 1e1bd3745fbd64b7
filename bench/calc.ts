import { CalcError } from '@tollbook/calc/calc-error'
import { calculate } from '@tollbook/calc/calculate'
import { BOMBS } from '@tollbook/testing/utility/calc-bombs'
import { CALC_BUDGET } from '@tollbook/testing/utility/calculator'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'

const ROUNDS = 5

/** Processor time of expressions designed to take long. */
export const calc: Benchmark = {
  name: 'calc',
  summary: 'processor time of the slowest of the expressions designed to take long',
  async run() {
    const times = Object.keys(BOMBS).map((expression) => ({ expression, ms: minMs(expression) }))
    const [slowest] = times.toSorted((one, other) => other.ms - one.ms)
    if (!slowest) throw new Error('there are no expressions')
    printFigure({
      bench: 'calc',
      figure: 'slowest expression',
      unit: 'ms of processor time',
      value: Number(slowest.ms.toPrecision(3)),
      setting: { expressions: times.length, slowest: slowest.expression.slice(0, 40) },
    })
  },
}

/** The fastest of several rounds, so that compilation and other work do not count. */
function minMs(expression: string): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage()
    try {
      calculate(expression, { angle: 'rad', budget: CALC_BUDGET })
    } catch (error) {
      if (!(error instanceof CalcError)) throw error
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...rounds)
}
