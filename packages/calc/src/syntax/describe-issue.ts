import { CalcError } from '../calc-error.ts'
import { findSimilarUnits, findUnit } from '../unit/find-unit.ts'
import { type Node, printNode } from './node.ts'
import { isFunctionName } from './vocabulary.ts'

/** Names both readings; the column is that of the division. */
export function ambiguousDivision(one: Node, other: Node): CalcError {
  const readings = [one, other].map(printNode)
  return new CalcError('syntax', `ambiguous division: write ${readings.join(' or ')}`, other.column)
}

/** Of `12x16 in`. */
export function ambiguousSides(
  left: Node,
  right: Extract<Node, { kind: 'measure' }>,
  column: number,
): CalcError {
  const [one, other, unit] = [left, right.amount, right.unit].map(printNode)
  return new CalcError(
    'syntax',
    `may be two sides or one length: write ${one} ${unit} * ${other} ${unit} or ${one} * ${other} ${unit}`,
    column,
  )
}

export function ambiguousFunction(name: string, argument: Node, after: string, column: number): CalcError {
  const inside = printNode(argument)
  const rest = /^[\p{L}(√]/u.test(after) && after !== 'mod' ? ` ${after}` : after
  return new CalcError(
    'syntax',
    `${name} needs parentheses here: write ${name}(${inside})${rest}… or ${name}(${inside}${rest}…)`,
    column,
  )
}

/** @throws CalcError for `6ft2`, which may be a height or an area. */
export function refuseHeight(unit: string, digit: string, column: number): void {
  const smaller = /^(?:ft|foot|feet)$/.test(unit) ? 'in' : /^(?:h|hr|d)$/.test(unit) ? 'min' : null
  if (smaller === null) return
  throw new CalcError(
    'syntax',
    `${unit}${digit} after a number may be ${unit} and ${digit} ${smaller}, or ${unit}^${digit}: write one of them`,
    column,
  )
}

export function describeUnknown(name: string): string {
  if (isFunctionName(name)) return `${name} needs its arguments in parentheses`
  if (/^[KMGT]B$/.test(name) && !findUnit(name))
    return `${name} is ambiguous: write kB for 1000 bytes or KiB for 1024`
  const similar = findSimilarUnits(name)
  return `unknown function, constant or unit ${name}${similar.length > 0 ? ` (did you mean ${similar.join(' or ')}?)` : ''}`
}
