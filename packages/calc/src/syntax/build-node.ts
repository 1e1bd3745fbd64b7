import { isSameDimension } from '../unit/dimension.ts'
import { findUnit } from '../unit/find-unit.ts'
import type { BinaryOperator, Node } from './node.ts'
import { findConstant } from './vocabulary.ts'

export function binary(operator: BinaryOperator, left: Node, right: Node, column: number): Node {
  return { kind: 'binary', operator, left, right, column }
}

export function numberNode(text: string, column: number): Node {
  return { kind: 'number', text, column }
}

/** A number token; `1+1/2` is a mixed number. */
export function readNumberText(text: string, column: number): Node {
  const mixed = /^(?:(\d+)\+)?(\d+)\/(\d+)$/.exec(text)
  if (!mixed) return numberNode(text, column)
  const [, whole, numerator = '', denominator = ''] = mixed
  const fraction = binary('/', numberNode(numerator, column), numberNode(denominator, column), column)
  return whole === undefined ? fraction : binary('+', numberNode(whole, column), fraction, column)
}

/** A unit or a power or product of units. */
export function isUnit(node: Node): boolean {
  if (node.kind === 'name') return findConstant(node.name) === null
  if (node.kind !== 'binary') return false
  if (node.operator === '^') return isUnit(node.left) && isPlainNumber(node.right)
  return node.operator === '*' && isUnit(node.left) && isUnit(node.right)
}

export function isPlainNumber(node: Node): boolean {
  return node.kind === 'number' || (node.kind === 'negate' && isPlainNumber(node.operand))
}

export function isPercentage(node: Node): boolean {
  if (node.kind === 'measure')
    return node.unit.kind === 'name' && findUnit(node.unit.name)?.symbol === 'percent'
  return node.kind === 'postfix' && node.operator === '%'
}

export function isLength(node: Node): node is Extract<Node, { kind: 'measure' }> {
  if (node.kind !== 'measure' || node.unit.kind !== 'name') return false
  return isSameDimension(findUnit(node.unit.name)?.dimension ?? {}, { m: 1 })
}

/** The product of two adjacent factors; a number takes all units that follow it. */
export function joinFactors(left: Node, right: Node, column: number): Node {
  if (!isUnit(right) || isUnit(left)) return binary('*', left, right, column)
  if (left.kind === 'measure') return { ...left, unit: binary('*', left.unit, right, column) }
  return { kind: 'measure', amount: left, unit: right, column: left.column }
}

/** The sum of two adjacent measures. After a time, `m` is the minute: `1h 30m` cannot be a time and a length. */
export function joinMeasures(left: Node, right: Node, column: number): Node {
  return isTime(left) || isTime(right)
    ? binary('+', readMinutes(left), readMinutes(right), column)
    : binary('+', left, right, column)
}

/** A sum or difference. Next to hours, `m` is the minute; `2 m + 3 s` is refused. */
export function addNodes(operator: '+' | '-', left: Node, right: Node, column: number): Node {
  return isTime(left, 3600) || isTime(right, 3600)
    ? binary(operator, readMinutes(left), readMinutes(right), column)
    : binary(operator, left, right, column)
}

/** Whether a measure or sum of measures is a time, in units of at least so many seconds. */
function isTime(node: Node, minSeconds = 0): boolean {
  if (node.kind === 'binary' && (node.operator === '+' || node.operator === '-'))
    return isTime(node.left, minSeconds) || isTime(node.right, minSeconds)
  if (node.kind !== 'measure' || node.unit.kind !== 'name') return false
  const unit = findUnit(node.unit.name)
  const isLongEnough = unit !== null && unit.ratio.numerator >= BigInt(minSeconds) * unit.ratio.denominator
  return isLongEnough && isSameDimension(unit.dimension, { s: 1 })
}

function readMinutes(node: Node): Node {
  if (node.kind === 'binary' && (node.operator === '+' || node.operator === '-'))
    return { ...node, left: readMinutes(node.left), right: readMinutes(node.right) }
  if (node.kind !== 'measure' || node.unit.kind !== 'name' || node.unit.name !== 'm') return node
  return { ...node, unit: { ...node.unit, name: 'min' } }
}
