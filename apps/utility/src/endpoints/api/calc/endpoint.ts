import { CalcError } from '@tollbook/calc/calc-error'
import { calculate } from '@tollbook/calc/calculate'
import { SIGNIFICANT_DIGITS } from '@tollbook/calc/print/significant-digits'
import { MAX_EXPRESSION_LENGTH } from '@tollbook/calc/syntax/token'
import { FUNCTIONS } from '@tollbook/calc/syntax/vocabulary'
import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import { providedValue, withOtherNames } from '@tollbook/endpoints/other-names'
import { type Issue, ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'

const EXPRESSION = ['expr', 'expression', 'q'] as const

/** In nanoseconds of work: 60 ms, so that no accepted expression blocks other calls for long. */
const WHOLE_BUDGET = 60_000_000
/**
 * Work allowed before payment: 5 ms. Longer expressions are evaluated after the payment is verified; a
 * rejected one is not charged.
 */
const CHECK_BUDGET = 5_000_000

const expressionText = z.string().min(1).max(MAX_EXPRESSION_LENGTH)

const input = withOtherNames(
  z.object({
    expr: expressionText
      .describe(
        `The expression: + - * / // mod ^ ! %, pi e phi tau, units and amounts of money as in \`5 ft 6 in to cm\`, and ${Object.keys(FUNCTIONS).join(' ')}. In a URL, write + as %2B.`,
      )
      .optional(),
    expression: expressionText.describe('Same as expr.').optional(),
    q: expressionText.describe('Same as expr.').optional(),
    angle: z.enum(['rad', 'deg']).default('rad').describe('Unit of angles written without one.'),
  }),
  EXPRESSION,
)

type Input = z.output<typeof input>

/** Why an expression is invalid; null if it is valid or takes too long to evaluate before payment. */
function findIssue(args: Input): Issue | null {
  try {
    calculate(providedValue(args, EXPRESSION), { angle: args.angle, budget: CHECK_BUDGET })
    return null
  } catch (error) {
    if (!(error instanceof CalcError)) throw error
    return error.kind === 'budget' ? null : toIssue(error, args)
  }
}

function toIssue(issue: CalcError, args: Input): Issue {
  const parameter = EXPRESSION.find((name) => args[name] !== undefined) ?? EXPRESSION[0]
  const detail = issue.column === null ? issue.message : `column ${issue.column}: ${issue.message}`
  return { parameter, detail, ...(issue.kind !== 'syntax' && { code: 'cannot_be_served' as const }) }
}

/** @throws ProblemError if the expression has no value or takes too long to evaluate. */
function calculateOrRefuse(args: Input) {
  try {
    return calculate(providedValue(args, EXPRESSION), { angle: args.angle, budget: WHOLE_BUDGET })
  } catch (error) {
    if (!(error instanceof CalcError)) throw error
    const issue = toIssue(error, args)
    throw new ProblemError(
      { code: issue.code ?? 'invalid_request', detail: issue.detail, issues: [issue] },
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
    'Value of an expression, exact or to 50 correct digits: fractions, roots, logs, trigonometry, percent, money, 150 units. Reads what people type (15% off $80), echoes how, and refuses two readings, uncharged.',
  input,
  output: z.object({
    expression: z.string().describe('The expression as it was sent.'),
    understood: z.string().describe('Its only reading: `15% off 80` is `80 * (1 - 15%)`.'),
    result: z
      .string()
      .describe(
        'Integers of up to 10,000 digits in full, else 50 significant digits; `0xff` or `3/4` if asked for.',
      ),
    exact: z
      .boolean()
      .describe('Whether result or fraction is the exact value, neither rounded nor measured.'),
    kind: z.enum(['integer', 'rational', 'real', 'quantity', 'boolean']),
    unit: z.string().nullable().describe('Unit of the result.'),
    digits: z.literal(SIGNIFICANT_DIGITS).describe('Significant digits of a rounded result.'),
    scientific: z
      .string()
      .nullable()
      .describe('The result with one digit before the decimal point and an exponent.'),
    fraction: z
      .string()
      .nullable()
      .describe('The value as p/q, unless it is an integer or a quantity written in full.'),
    ts: z.iso.datetime(),
  }),
  example: {
    input: { expr: '5 ft 6 in to cm' },
    output: {
      expression: '5 ft 6 in to cm',
      understood: '5 ft + 6 in to cm',
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
  check(args) {
    const issue = findIssue(args)
    return issue ? [issue] : []
  },
  handle({ input: args, now }) {
    const { understood, result, exact, kind, unit, scientific, fraction } = calculateOrRefuse(args)
    return json({
      expression: providedValue(args, EXPRESSION),
      understood,
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
