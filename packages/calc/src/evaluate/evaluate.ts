import { CalcError, locateError } from '../calc-error.ts'
import { add, divide, divideDown, modulo, multiply } from '../number/arithmetic.ts'
import { doubleFactorialOf, factorialOf } from '../number/factorial.ts'
import { exponentialOf } from '../number/logarithms.ts'
import { integer, multipleOfPi, type Numeric, toInteger } from '../number/number.ts'
import { raise, rootOf } from '../number/power.ts'
import { parseRational, rational } from '../number/rational.ts'
import { powerModuloOf } from '../number/whole-numbers.ts'
import type { Workspace } from '../number/workspace.ts'
import { isPercentage, isPlainNumber } from '../syntax/build-node.ts'
import { type BinaryOperator, type Node, printNode } from '../syntax/node.ts'
import { readTemperatureLetters } from '../syntax/temperature-letters.ts'
import { type ConstantName, findConstant } from '../syntax/vocabulary.ts'
import { findUnit, type Unit } from '../unit/find-unit.ts'
import { convertQuantity } from './convert.ts'
import { EVALUATORS, type EvaluationContext } from './functions.ts'
import {
  addQuantities,
  divideQuantities,
  multiplyQuantities,
  negateQuantity,
  numberIn,
  oneOf,
  plain,
  pointOf,
  type Quantity,
  raiseQuantity,
  requirePlain,
  subtractQuantities,
  withoutShares,
} from './quantity.ts'

/** The cost of a node in addition to its arithmetic, in nanoseconds. */
const NODE_WORK = 5000

/**
 * The value of an expression other than a comparison. Reals are computed lazily, so requesting their digits
 * may throw as well.
 * @throws CalcError with the column of the failing node.
 */
export function evaluate(node: Node, context: EvaluationContext): Quantity {
  try {
    context.workspace.spend(NODE_WORK)
    return locateLazyErrors(evaluateNode(node, context), node.column)
  } catch (error) {
    throw locateError(error, node.column)
  }
}

function locateLazyErrors(quantity: Quantity, column: number): Quantity {
  const { number } = quantity
  if (number.kind !== 'real') return quantity
  const at = (bits: number) => {
    try {
      return number.at(bits)
    } catch (error) {
      throw locateError(error, column)
    }
  }
  return { ...quantity, number: { kind: 'real', at } }
}

function evaluateNode(node: Node, context: EvaluationContext): Quantity {
  const { workspace } = context
  switch (node.kind) {
    case 'number':
      return plain(readNumber(node.text, workspace))
    case 'name':
      return evaluateName(node.name, workspace)
    case 'measure':
      return evaluateMeasure(node, context)
    case 'negate':
      return evaluateNegation(node.operand, context)
    case 'postfix':
      return evaluatePostfix(node, context)
    case 'binary':
      return evaluateBinary(node, context)
    case 'convert':
      return evaluateConversion(node, context)
    case 'call': {
      const args = node.args.map((arg) => evaluate(arg, context))
      const value = EVALUATORS[node.name](args, context)
      return { ...value, isMeasured: args.some(({ isMeasured }) => isMeasured) }
    }
    case 'show':
      throw new CalcError('syntax', 'a number format is not allowed inside parentheses')
    case 'compare':
      throw new CalcError('syntax', 'a comparison is not allowed inside parentheses')
  }
}

/** Decimals with any exponent, and whole numbers in base 16, 8 or 2. */
function readNumber(text: string, workspace: Workspace): Numeric {
  if (/^0[xob]/i.test(text)) return integer(BigInt(text.toLowerCase()))
  const [digits = '0', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', decimals = ''] = digits.split('.')
  const number: Numeric = { kind: 'rational', value: parseRational(`${whole || '0'}.${decimals || '0'}`) }
  const power = integer(BigInt(exponent))
  return multiply(number, raise(integer(10), power, workspace), workspace)
}

function evaluateName(name: string, workspace: Workspace): Quantity {
  const constant = findConstant(name)
  if (constant) return plain(constantOf(constant, workspace))
  const unit = findUnit(name)
  if (!unit) throw new CalcError('syntax', `unknown constant or unit ${name}`)
  return oneOf(unit, workspace)
}

function constantOf(name: ConstantName, workspace: Workspace): Numeric {
  switch (name) {
    case 'pi':
      return multipleOfPi(rational(1n))
    case 'tau':
      return multipleOfPi(rational(2n))
    case 'e':
      return exponentialOf(integer(1), workspace)
    case 'phi': {
      const root = rootOf(integer(5), 2n, workspace)
      return divide(add(integer(1), root, workspace), integer(2), workspace)
    }
  }
}

type NodeOf<Kind extends Node['kind']> = Extract<Node, { readonly kind: Kind }>

function evaluateMeasure(node: NodeOf<'measure'>, context: EvaluationContext): Quantity {
  const amount = evaluate(node.amount, context)
  const scale = findScale(node.unit)
  if (scale) return pointOf(requirePlain(amount, 'a temperature'), scale, context.workspace)
  return multiplyQuantities(amount, evaluate(node.unit, context), context.workspace)
}

/** The unit of a node that consists only of an offset unit such as degC. */
function findScale(node: Node): Unit | null {
  const unit = node.kind === 'name' ? findUnit(node.name) : null
  return unit?.offset ? unit : null
}

/** -40 degC is 40 below 0 on its scale, not the negative of 313.15 K. */
function evaluateNegation(operand: Node, context: EvaluationContext): Quantity {
  if (operand.kind !== 'measure' || !findScale(operand.unit))
    return negateQuantity(evaluate(operand, context))
  const amount: Node = { kind: 'negate', operand: operand.amount, column: operand.column }
  return evaluate({ ...operand, amount }, context)
}

function evaluatePostfix(node: NodeOf<'postfix'>, context: EvaluationContext): Quantity {
  const { workspace } = context
  const operand = evaluate(node.operand, context)
  switch (node.operator) {
    case '%':
      return divideQuantities(operand, plain(integer(100)), workspace)
    case '!':
      return plain(factorialOf(requirePlain(operand, 'the operand of !'), workspace))
    case '!!':
      return plain(doubleFactorialOf(requirePlain(operand, 'the operand of !!'), workspace))
  }
}

function evaluateBinary(node: NodeOf<'binary'>, context: EvaluationContext): Quantity {
  const { workspace } = context
  const { operator, left, right } = node
  if (operator === 'mod' && left.kind === 'binary' && left.operator === '^')
    return evaluatePowerModulo(left, right, context)
  const a = withoutShares(evaluate(left, context))
  const b = withoutShares(evaluate(right, context))
  // 200 + 10% is 220, as on a pocket calculator; 5% + 10% is 15%.
  const isShare = (operator === '+' || operator === '-') && isPercentage(right) && !isPercentage(left)
  return apply(operator, a, isShare ? multiplyQuantities(a, b, workspace) : b, workspace)
}

function apply(operator: BinaryOperator, a: Quantity, b: Quantity, workspace: Workspace): Quantity {
  switch (operator) {
    case '+':
      return addQuantities(a, b, workspace)
    case '-':
      return subtractQuantities(a, b, workspace)
    case '*':
      return multiplyQuantities(a, b, workspace)
    case '/':
      return divideQuantities(a, b, workspace)
    case '^':
      return raiseQuantity(a, b, workspace)
    case '//':
      return plain(divideDown(requirePlain(a, 'a dividend'), requirePlain(b, 'a divisor'), workspace))
    case 'mod':
      return plain(modulo(requirePlain(a, 'a dividend'), requirePlain(b, 'a divisor'), workspace))
  }
}

/** `2^1000000 mod 97` is computed without the full power, which would exceed the budget. */
function evaluatePowerModulo(power: NodeOf<'binary'>, divisor: Node, context: EvaluationContext): Quantity {
  const { workspace } = context
  const [base, exponent] = [evaluate(power.left, context), evaluate(power.right, context)]
  const modulus = evaluate(divisor, context)
  const [x, y, m] = [base, exponent, modulus].map(({ number, units }) =>
    units.length === 0 ? toInteger(number) : null,
  )
  if (x != null && y != null && m != null && y >= 0n && m > 0n)
    return plain(powerModuloOf(base.number, exponent.number, modulus.number, workspace))
  return apply('mod', raiseQuantity(base, exponent, workspace), modulus, workspace)
}

function evaluateConversion(written: NodeOf<'convert'>, context: EvaluationContext): Quantity {
  const { workspace } = context
  const node = readTemperatureLetters(written)
  const [from, to] = [evaluate(node.from, context), evaluate(node.to, context)]
  if (to.units.length === 0) throw new CalcError('value', 'the target of a conversion must be a unit')
  const isSingle =
    node.from.kind === 'name' || (node.from.kind === 'measure' && isPlainNumber(node.from.amount))
  return convertQuantity({ from, to, target: nameTarget(to, node.to, workspace), isSingle }, workspace)
}

/** A target with a factor, such as `l/(100 km)`, becomes a unit of its own. */
function nameTarget(to: Quantity, node: Node, workspace: Workspace): Quantity {
  const factor = numberIn(to, to.units, workspace)
  if (toInteger(factor) === 1n) return to
  if (to.number.kind !== 'rational') throw new CalcError('value', 'the target of a conversion must be a unit')
  const symbol = printNode(node)
  const { dimension, isMeasured } = to
  const unit: Unit = { symbol, ratio: to.number.value, piPower: 0, dimension, offset: null, isMeasured }
  return { ...to, units: [{ unit, power: 1 }] }
}
