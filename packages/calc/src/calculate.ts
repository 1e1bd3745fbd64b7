import { evaluate } from './evaluate/evaluate.ts'
import type { EvaluationContext } from './evaluate/functions.ts'
import { numberIn, type Quantity, requireSameDimension } from './evaluate/quantity.ts'
import { compare } from './number/arithmetic.ts'
import { bitLength } from './number/integer.ts'
import { type Numeric, toInteger } from './number/number.ts'
import { formatRational, rationalBits } from './number/rational.ts'
import { Workspace } from './number/workspace.ts'
import { formatResult } from './print/format-result.ts'
import { printDecimal, printScientific, toSignificantDigits } from './print/significant-digits.ts'
import { explain } from './syntax/explain.ts'
import type { Comparison, Node } from './syntax/node.ts'
import { parseExpression } from './syntax/parse.ts'
import { printUnits, toBaseUnits } from './unit/unit-product.ts'

export type Calculation = {
  /** The expression as it was understood, written so that only this reading is possible. */
  readonly understood: string
  /**
   * Whole numbers of up to 10,000 digits in full, otherwise 50 significant digits; `true` or `false` for a
   * comparison.
   */
  readonly result: string
  /** Whether `result` or `fraction` is the exact value, neither rounded nor measured. */
  readonly exact: boolean
  readonly kind: 'integer' | 'rational' | 'real' | 'quantity' | 'boolean'
  readonly unit: string | null
  /** `result` in scientific notation, with one digit before the point; null for a comparison. */
  readonly scientific: string | null
  /** `p/q` if the value is a fraction and not a whole number; null also for a quantity that is printed in full. */
  readonly fraction: string | null
}

type Answer = Omit<Calculation, 'understood'>

export type CalculateOptions = {
  readonly angle: EvaluationContext['angle']
  /** Work budget, in estimated nanoseconds (see Workspace). */
  readonly budget: number
}

/** The most bits that a whole number of 10,000 digits can have. */
const MAX_PRINTED_BITS = 33_220
const MAX_PRINTED_DIGITS = 10_000

/** Parses and evaluates an expression. @throws CalcError with the column of the syntax or evaluation error. */
export function calculate(expression: string, { angle, budget }: CalculateOptions): Calculation {
  const node = parseExpression(expression)
  const context = { workspace: new Workspace(budget), angle }
  const understood = explain(node, angle)
  if (node.kind === 'compare') return { understood, ...evaluateComparison(node, context) }
  if (node.kind !== 'show') {
    const quantity = evaluate(node, context)
    const shown = node.kind === 'convert' ? quantity : withShortUnit(quantity)
    return { understood, ...describe(shown, context.workspace) }
  }
  const value = describe(evaluate(node.operand, context), context.workspace)
  return { understood, ...value, result: formatResult(value, node) }
}

function evaluateComparison(node: Extract<Node, { kind: 'compare' }>, context: EvaluationContext): Answer {
  const [left, right] = [evaluate(node.left, context), evaluate(node.right, context)]
  requireSameDimension(left, right)
  const order = compare(left.number, right.number, context.workspace)
  const exact = !left.isMeasured && !right.isMeasured
  return {
    result: `${HOLDS[node.operator](order)}`,
    exact,
    kind: 'boolean',
    unit: null,
    scientific: null,
    fraction: null,
  }
}

/** Whether a comparison holds, by the order of its sides. */
const HOLDS: Readonly<Record<Comparison, (order: -1 | 0 | 1) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
}

/** Units that cancel out leave nothing or one base unit: W*h*USD/kWh is USD. */
function withShortUnit(quantity: Quantity): Quantity {
  const powers = Object.values(quantity.dimension)
  const isShort = powers.length === 0 || (powers.length === 1 && powers[0] === 1)
  return quantity.units.length > 1 && isShort
    ? { ...quantity, units: toBaseUnits(quantity.dimension) }
    : quantity
}

function describe(quantity: Quantity, workspace: Workspace): Answer {
  const number = numberIn(quantity, quantity.units, workspace)
  const digits = toSignificantDigits(number, workspace)
  const whole = printWhole(number)
  const kind = quantity.units.length > 0 ? 'quantity' : kindOf(number)
  // A quantity with finitely many decimals needs no fraction, and a measured one has none.
  const needsFraction = !quantity.isMeasured && !(kind === 'quantity' && digits.isComplete)
  const fraction = needsFraction ? printFraction(number) : null
  const isWritten = whole !== null || fraction !== null || digits.isComplete
  return {
    result: whole ?? printDecimal(digits),
    exact: isWritten && !quantity.isMeasured,
    kind,
    unit: printUnits(quantity.units) || null,
    scientific: printScientific(digits),
    fraction,
  }
}

function kindOf(number: Numeric): Calculation['kind'] {
  if (toInteger(number) !== null) return 'integer'
  return number.kind === 'rational' ? 'rational' : 'real'
}

function printWhole(number: Numeric): string | null {
  const whole = toInteger(number)
  if (whole === null || bitLength(whole) > MAX_PRINTED_BITS) return null
  const text = whole.toString()
  return text.length <= MAX_PRINTED_DIGITS + (whole < 0n ? 1 : 0) ? text : null
}

function printFraction(number: Numeric): string | null {
  if (number.kind !== 'rational' || number.value.denominator === 1n) return null
  return rationalBits(number.value) <= MAX_PRINTED_BITS ? formatRational(number.value) : null
}
