import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALC_BUDGET } from '../../../test/calculator.ts'
import { askPari, hasPari, makePariCases, roundPari } from '../../../test/pari-gp.ts'
import { CalcFault } from './calc-fault.ts'
import { calculate } from './calculate.ts'

const CASES = 600
const SEED = 20_261_121
const DIGITS = 50

/** All 50 digits, where an exact result leaves out zeros at the end. */
function withAllDigits(scientific: string): string {
  const [, sign = '', digits = '', exponent = ''] = /^(-?)([\d.]+)e(-?\d+)$/.exec(scientific) ?? []
  if (digits === '0') return '0e0'
  const padded = digits.replace('.', '').padEnd(DIGITS, '0')
  return `${sign}${padded.charAt(0)}.${padded.slice(1)}e${exponent}`
}

function answer(expression: string): string {
  try {
    return withAllDigits(calculate(expression, { angle: 'rad', budget: CALC_BUDGET }).scientific ?? '')
  } catch (error) {
    if (error instanceof CalcFault) return error.message
    throw error
  }
}

test(`${CASES} generated expressions agree with PARI/GP in all 50 digits`, (t) => {
  if (!hasPari()) return t.skip('gp is not installed (Debian: apt-get install pari-gp)')
  const cases = makePariCases(CASES, SEED)
  const expected = askPari(cases)
  const wrong = cases.flatMap(({ ours }, at) => {
    const [given, right] = [answer(ours), roundPari(expected[at] ?? '', DIGITS)]
    return given === right ? [] : [`${ours}: ${given}, but ${right} by PARI/GP`]
  })
  assert.deepEqual(wrong, [])
})
