import { findUnit } from '../unit/find-unit.ts'
import { binary, isPercentage, numberNode } from './build-node.ts'
import { type Node, printNode } from './node.ts'
import { readTemperatureLetters } from './temperature-letters.ts'
import { findConstant } from './vocabulary.ts'

const TAKES_ANGLE = new Set(['sin', 'cos', 'tan'])

/**
 * How an expression was understood, as an expression of the same value that spells out what may surprise: the
 * unit of an angle, the base of a logarithm, what a percentage is taken of, and units by their symbols.
 */
export function explain(node: Node, angle: 'rad' | 'deg'): string {
  return printNode(spellOut(node, angle))
}

function spellOut(node: Node, angle: 'rad' | 'deg'): Node {
  const inner = (child: Node) => spellOut(child, angle)
  switch (node.kind) {
    case 'number':
      return node
    case 'name':
      return { ...node, name: symbolOf(node.name) }
    case 'call':
      return spellOutCall({ ...node, args: node.args.map(inner) }, angle)
    case 'negate':
    case 'postfix':
    case 'show':
      return { ...node, operand: inner(node.operand) }
    case 'measure':
      return { ...node, amount: inner(node.amount), unit: inner(node.unit) }
    case 'convert': {
      const read = readTemperatureLetters(node)
      return { ...read, from: inner(read.from), to: inner(read.to) }
    }
    case 'binary':
      return spellOutShare({ ...node, left: inner(node.left), right: inner(node.right) })
    case 'compare':
      return { ...node, left: inner(node.left), right: inner(node.right) }
  }
}

function symbolOf(name: string): string {
  return findConstant(name) ?? findUnit(name)?.symbol ?? name
}

function spellOutCall(call: Extract<Node, { kind: 'call' }>, angle: 'rad' | 'deg'): Node {
  const [first, ...others] = call.args
  if (!first || others.length > 0) return call
  if (call.name === 'log') return { ...call, name: 'log10' }
  if (!TAKES_ANGLE.has(call.name) || hasUnit(first)) return call
  const unit: Node = { kind: 'name', name: angle, column: first.column }
  return { ...call, args: [{ kind: 'measure', amount: first, unit, column: first.column }] }
}

/** `200 + 10%` is `200 * (1 + 10%)`. */
function spellOutShare(node: Extract<Node, { kind: 'binary' }>): Node {
  const { operator, left, right, column } = node
  if ((operator !== '+' && operator !== '-') || !isPercentage(right) || isPercentage(left)) return node
  return binary('*', left, binary(operator, numberNode('1', column), right, column), column)
}

function hasUnit(node: Node): boolean {
  switch (node.kind) {
    case 'number':
      return false
    case 'name':
      return findConstant(node.name) === null
    case 'call':
      return node.args.some(hasUnit)
    case 'measure':
    case 'convert':
      return true
    case 'negate':
    case 'postfix':
    case 'show':
      return hasUnit(node.operand)
    case 'binary':
    case 'compare':
      return hasUnit(node.left) || hasUnit(node.right)
  }
}
