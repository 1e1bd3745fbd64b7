import { CalcError } from '@tollbook/calc/calc-error'
import { type Calculation, calculate } from '@tollbook/calc/calculate'
import { CALC_BUDGET } from '../calculator.ts'
import { askUnits } from '../gnu-units.ts'
import { askPari, roundPari } from '../pari-gp.ts'
import type { TypedCase } from './typed-case.ts'

const DIGITS = 50
/** GNU units computes with doubles, and sums of them lose digits. */
const RELATIVE = 1e-11
const ABSOLUTE = 1e-6

export type TypedVerdict = 'right' | 'refused' | 'wrong' | 'judges disagree'
export type JudgedCase = TypedCase & { readonly verdict: TypedVerdict; readonly note: string }

/** Compares every answer with PARI/GP in 50 digits and with GNU units in those of a double. */
export function judgeTyped(cases: readonly TypedCase[]): readonly JudgedCase[] {
  const valued = cases.filter(({ pari, gnu }) => pari !== null && gnu !== null)
  const exact = askPari(valued.map(({ typed, pari }) => ({ ours: typed, pari: pari ?? '0' })))
  const doubles = askUnits(valued.map(({ gnu }) => gnu ?? ['0', '1']))
  const expected = new Map(
    valued.map((one, at) => [one, [exact[at] ?? '', doubles[at] ?? Number.NaN] as const]),
  )
  return cases.map((one) => ({ ...one, ...judge(one, expected.get(one)) }))
}

function judge(
  { typed, unit }: TypedCase,
  expected: readonly [pari: string, gnu: number] | undefined,
): Pick<JudgedCase, 'verdict' | 'note'> {
  const answer = answerOf(typed)
  if (!expected)
    return typeof answer === 'string'
      ? { verdict: 'right', note: answer }
      : { verdict: 'wrong', note: `sold ${answer.result} ${answer.unit ?? ''} for what must be refused` }
  const [pari, gnu] = expected
  const right = roundPari(pari, DIGITS)
  if (!isNear(Number(right), gnu)) return { verdict: 'judges disagree', note: `${right}, ${gnu}` }
  if (typeof answer === 'string') return { verdict: 'refused', note: answer }
  const isRight =
    withAllDigits(answer.scientific ?? '') === right && (unit === undefined || unit === answer.unit)
  const note = `${answer.result} ${answer.unit ?? ''}, not ${right} ${unit ?? ''} (${answer.understood})`
  if (!isRight) return { verdict: 'wrong', note }
  // The echo must be an expression of the same value.
  const again = answerOf(answer.understood)
  if (typeof again !== 'string' && again.result === answer.result && again.unit === answer.unit)
    return { verdict: 'right', note: answer.understood }
  return {
    verdict: 'wrong',
    note: `${answer.understood} is ${typeof again === 'string' ? again : again.result}`,
  }
}

/** The answer, or why there is none. */
export function answerOf(typed: string): Calculation | string {
  try {
    return calculate(typed, { angle: 'rad', budget: CALC_BUDGET })
  } catch (error) {
    if (error instanceof CalcError) return `column ${error.column}: ${error.message}`
    throw error
  }
}

function isNear(one: number, other: number): boolean {
  const difference = Math.abs(one - other)
  return difference <= RELATIVE * Math.abs(one) || (difference <= ABSOLUTE && Math.abs(one) > 1e-3)
}

/** All 50 digits; an exact result omits trailing zeros. */
export function withAllDigits(scientific: string): string {
  const [, sign = '', digits = '', exponent = ''] = /^(-?)([\d.]+)e(-?\d+)$/.exec(scientific) ?? []
  if (digits === '0') return '0e0'
  const padded = digits.replace('.', '').padEnd(DIGITS, '0')
  return `${sign}${padded.charAt(0)}.${padded.slice(1)}e${exponent}`
}
