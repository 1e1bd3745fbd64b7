import { CalcFault, placeFault } from '../calc-fault.ts'
import { add, divide, divideDown, modulo, multiply } from '../number/arithmetic.ts'
import { doubleFactorialOf, factorialOf } from '../number/factorial.ts'
import { exponentialOf } from '../number/logarithms.ts'
import type { Numeric } from '../number/number.ts'
import { integer, multipleOfPi, toInteger } from '../number/number.ts'
import { raise, rootOf } from '../number/power.ts'
import { parseRational, rational } from '../number/rational.ts'
import { powerModuloOf } from '../number/whole-numbers.ts'
import type { BinaryOperator, Node } from '../syntax/node.ts'
import { printNode } from '../syntax/node.ts'
import type { ConstantName } from '../syntax/vocabulary.ts'
import { findConstant } from '../syntax/vocabulary.ts'
import type { Unit } from '../unit/find-unit.ts'
import { findUnit } from '../unit/find-unit.ts'
import type { Workspace } from '../workspace.ts'
import { convertQuantity } from './convert.ts'
import type { Surroundings } from './functions.ts'
import { EVALUATORS } from './functions.ts'
import type { Quantity } from './quantity.ts'
import {
  addQuantities,
  divideQuantities,
  multiplyQuantities,
  negateQuantity,
  numberIn,
  oneOf,
  plain,
  pointOf,
  raiseQuantity,
  requirePlain,
  subtractQuantities,
  withoutShares,
} from './quantity.ts'
import { readTemperatureLetters } from './temperature-letters.ts'

/** The cost of a node in addition to its arithmetic, in nanoseconds. */
const NODE_WORK = 5000

/**
 * The value of an expression other than a comparison. Reals are computed lazily, so requesting their digits
 * may throw as well.
 * @throws CalcFault with the column of the failing node.
 */
export function evaluate(node: Node, surroundings: Surroundings): Quantity {
  try {
    surroundings.workspace.spend(NODE_WORK)
    return placeLateFaults(evaluateNode(node, surroundings), node.column)
  } catch (error) {
    throw placeFault(error, node.column)
  }
}

function placeLateFaults(quantity: Quantity, column: number): Quantity {
  const { number } = quantity
  if (number.kind !== 'real') return quantity
  const at = (bits: number) => {
    try {
      return number.at(bits)
    } catch (error) {
      throw placeFault(error, column)
    }
  }
  return { ...quantity, number: { kind: 'real', at } }
}

function evaluateNode(node: Node, surroundings: Surroundings): Quantity {
  const { workspace } = surroundings
  switch (node.kind) {
    case 'number':
      return plain(readNumber(node.text, workspace))
    case 'name':
      return evaluateName(node.name, workspace)
    case 'measure':
      return evaluateMeasure(node, surroundings)
    case 'negate':
      return evaluateNegation(node.operand, surroundings)
    case 'postfix':
      return evaluatePostfix(node, surroundings)
    case 'binary':
      return evaluateBinary(node, surroundings)
    case 'convert':
      return evaluateConversion(node, surroundings)
    case 'call': {
      const args = node.args.map((arg) => evaluate(arg, surroundings))
      const value = EVALUATORS[node.name](args, surroundings)
      return { ...value, isMeasured: args.some(({ isMeasured }) => isMeasured) }
    }
    case 'compare':
      throw new CalcFault('syntax', 'a comparison is not allowed inside parentheses')
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
  if (!unit) throw new CalcFault('syntax', `unknown constant or unit ${name}`)
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

function evaluateMeasure(node: NodeOf<'measure'>, surroundings: Surroundings): Quantity {
  const amount = evaluate(node.amount, surroundings)
  const scale = findScale(node.unit)
  if (scale) return pointOf(requirePlain(amount, 'a temperature'), scale, surroundings.workspace)
  return multiplyQuantities(amount, evaluate(node.unit, surroundings), surroundings.workspace)
}

/** The unit of a node that consists only of an offset unit such as degC. */
function findScale(node: Node): Unit | null {
  const unit = node.kind === 'name' ? findUnit(node.name) : null
  return unit?.offset ? unit : null
}

/** -40 degC is 40 below 0 on its scale, not the negative of 313.15 K. */
function evaluateNegation(operand: Node, surroundings: Surroundings): Quantity {
  if (operand.kind !== 'measure' || !findScale(operand.unit))
    return negateQuantity(evaluate(operand, surroundings))
  const amount: Node = { kind: 'negate', operand: operand.amount, column: operand.column }
  return evaluate({ ...operand, amount }, surroundings)
}

function evaluatePostfix(node: NodeOf<'postfix'>, surroundings: Surroundings): Quantity {
  const { workspace } = surroundings
  const operand = evaluate(node.operand, surroundings)
  switch (node.operator) {
    case '%':
      return divideQuantities(operand, plain(integer(100)), workspace)
    case '!':
      return plain(factorialOf(requirePlain(operand, 'the operand of !'), workspace))
    case '!!':
      return plain(doubleFactorialOf(requirePlain(operand, 'the operand of !!'), workspace))
  }
}

function evaluateBinary(node: NodeOf<'binary'>, surroundings: Surroundings): Quantity {
  const { workspace } = surroundings
  const { operator, left, right } = node
  if (operator === 'mod' && left.kind === 'binary' && left.operator === '^')
    return evaluatePowerModulo(left, right, surroundings)
  const a = withoutShares(evaluate(left, surroundings))
  const b = withoutShares(evaluate(right, surroundings))
  // 200 + 10% is 220, as on a pocket calculator; 5% + 10% is 15%.
  const isShare = (operator === '+' || operator === '-') && isPercentage(right) && !isPercentage(left)
  return apply(operator, a, isShare ? multiplyQuantities(a, b, workspace) : b, workspace)
}

function isPercentage(node: Node): boolean {
  return node.kind === 'postfix' && node.operator === '%'
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
function evaluatePowerModulo(power: NodeOf<'binary'>, divisor: Node, surroundings: Surroundings): Quantity {
  const { workspace } = surroundings
  const [base, exponent] = [evaluate(power.left, surroundings), evaluate(power.right, surroundings)]
  const modulus = evaluate(divisor, surroundings)
  const [x, y, m] = [base, exponent, modulus].map(({ number, units }) =>
    units.length === 0 ? toInteger(number) : null,
  )
  if (x != null && y != null && m != null && y >= 0n && m > 0n)
    return plain(powerModuloOf(base.number, exponent.number, modulus.number, workspace))
  return apply('mod', raiseQuantity(base, exponent, workspace), modulus, workspace)
}

function evaluateConversion(written: NodeOf<'convert'>, surroundings: Surroundings): Quantity {
  const { workspace } = surroundings
  const node = readTemperatureLetters(written)
  const [from, to] = [evaluate(node.from, surroundings), evaluate(node.to, surroundings)]
  if (to.units.length === 0) throw new CalcFault('value', 'the target of a conversion must be a unit')
  return convertQuantity(from, nameTarget(to, node.to, workspace), workspace)
}

/** A target with a factor, such as `l/(100 km)`, becomes a unit of its own. */
function nameTarget(to: Quantity, node: Node, workspace: Workspace): Quantity {
  const factor = numberIn(to, to.units, workspace)
  if (toInteger(factor) === 1n) return to
  if (to.number.kind !== 'rational') throw new CalcFault('value', 'the target of a conversion must be a unit')
  const symbol = printNode(node).replace(/^\((.*)\)$/, '$1')
  const { dimension, isMeasured } = to
  const unit: Unit = { symbol, ratio: to.number.value, piPower: 0, dimension, offset: null, isMeasured }
  return { ...to, units: [{ unit, power: 1 }] }
}
