import * as z from 'zod'
import { givenValue, withAliases } from '../../../../catalogue/alias.ts'
import { json } from '../../../../catalogue/answer.ts'
import { defineEndpoint } from '../../../../catalogue/endpoint.ts'
import type { Fault } from '../../../../catalogue/problem.ts'
import { ProblemError } from '../../../../catalogue/problem.ts'
import { CalcError } from '../../../../engines/calc/calc-error.ts'
import { calculate } from '../../../../engines/calc/calculate.ts'
import { SIGNIFICANT_DIGITS } from '../../../../engines/calc/print/significant-digits.ts'
import { MAX_EXPRESSION_LENGTH } from '../../../../engines/calc/syntax/token.ts'
import { FUNCTIONS } from '../../../../engines/calc/syntax/vocabulary.ts'

const EXPRESSION = ['expr', 'expression', 'q'] as const

/** Nanoseconds of work: 60 ms, so that no accepted expression holds up other calls for long. */
const WHOLE_BUDGET = 60_000_000
/** What is tried before any payment: 5 ms. Longer expressions are judged when they are paid, and a refusal is free. */
const CHECK_BUDGET = 5_000_000

const expressionText = z.string().min(1).max(MAX_EXPRESSION_LENGTH)

const input = withAliases(
  z.object({
    expr: expressionText
      .describe(
        `The expression: + - * / // mod ^ ! %, pi e phi tau, units as in \`5 ft 6 in to cm\`, and ${Object.keys(FUNCTIONS).join(' ')}. In a URL a + is written %2B.`,
      )
      .optional(),
    expression: expressionText.describe('Another name of expr.').optional(),
    q: expressionText.describe('Another name of expr.').optional(),
    angle: z.enum(['rad', 'deg']).default('rad').describe('The unit of angles written without one.'),
  }),
  EXPRESSION,
)

type Input = z.output<typeof input>

/** What is wrong with an expression, or null; null also for one that takes too long to judge for free. */
function findFault(given: Input): Fault | null {
  try {
    calculate(givenValue(given, EXPRESSION), { angle: given.angle, budget: CHECK_BUDGET })
    return null
  } catch (error) {
    if (!(error instanceof CalcError)) throw error
    return error.kind === 'budget' ? null : toFault(error, given)
  }
}

function toFault(fault: CalcError, given: Input): Fault {
  const parameter = EXPRESSION.find((name) => given[name] !== undefined) ?? EXPRESSION[0]
  const detail = fault.column === null ? fault.message : `column ${fault.column}: ${fault.message}`
  return { parameter, detail, ...(fault.kind !== 'syntax' && { code: 'cannot_be_served' as const }) }
}

/** @throws ProblemError when the expression has no value, or finding it takes too long. */
function calculateOrRefuse(given: Input) {
  try {
    return calculate(givenValue(given, EXPRESSION), { angle: given.angle, budget: WHOLE_BUDGET })
  } catch (error) {
    if (!(error instanceof CalcError)) throw error
    const fault = toFault(error, given)
    throw new ProblemError(
      { code: fault.code ?? 'invalid_request', detail: fault.detail, faults: [fault] },
      { cause: error },
    )
  }
}

export const calc = defineEndpoint({
  id: 'calc',
  method: 'GET',
  path: '/api/calc',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Calculator',
  description:
    'The value of an expression, exact where it can be and else to 50 right significant digits: big integers, fractions, roots, powers, logs, trigonometry, factorials, percent, constants, and 150 units to convert between.',
  input,
  output: z.object({
    expression: z.string().describe('The expression as it was read.'),
    result: z.string().describe('Whole numbers of up to 10,000 digits in full, else 50 significant digits.'),
    exact: z
      .boolean()
      .describe('Whether result or fraction is the value itself, neither rounded nor measured.'),
    kind: z.enum(['integer', 'rational', 'real', 'quantity', 'boolean']),
    unit: z.string().nullable().describe('The unit of the result.'),
    digits: z.literal(SIGNIFICANT_DIGITS).describe('Significant digits of a rounded result.'),
    scientific: z.string().nullable().describe('The result with one digit before the point and an exponent.'),
    fraction: z
      .string()
      .nullable()
      .describe('The value as p/q, where it is no whole number and no quantity written in full.'),
    ts: z.iso.datetime(),
  }),
  example: {
    input: { expr: '5 ft 6 in to cm' },
    output: {
      expression: '5 ft 6 in to cm',
      result: '167.64',
      exact: true,
      kind: 'quantity',
      unit: 'cm',
      digits: SIGNIFICANT_DIGITS,
      scientific: '1.6764e2',
      fraction: null,
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 8192, timeoutMs: 2000 },
  check(given) {
    const fault = findFault(given)
    return fault ? [fault] : []
  },
  handle({ input: given, now }) {
    const { result, exact, kind, unit, scientific, fraction } = calculateOrRefuse(given)
    return json({
      expression: givenValue(given, EXPRESSION),
      result,
      exact,
      kind,
      unit,
      digits: SIGNIFICANT_DIGITS,
      scientific,
      fraction,
      ts: now.toISOString(),
    })
  },
})
