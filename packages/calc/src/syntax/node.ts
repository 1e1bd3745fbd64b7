import type { FunctionName } from './vocabulary.ts'

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | 'mod' | '^'
export type PostfixOperator = '!' | '!!' | '%'
export type Comparison = '<' | '<=' | '>' | '>=' | '=' | '!='
/** How a whole number or fraction is printed on request. */
export type Format = 'hex' | 'binary' | 'octal' | 'decimal' | 'fraction'

type Placed = {
  /** The column that errors in this node report: its operator or first character, from 1. */
  readonly column: number
}

/** A parsed expression. */
export type Node = Placed &
  (
    | { readonly kind: 'number'; readonly text: string }
    /** A constant or a unit. */
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'call'; readonly name: FunctionName; readonly args: readonly Node[] }
    | { readonly kind: 'negate'; readonly operand: Node }
    | { readonly kind: 'postfix'; readonly operator: PostfixOperator; readonly operand: Node }
    | {
        readonly kind: 'binary'
        readonly operator: BinaryOperator
        readonly left: Node
        readonly right: Node
      }
    /** A number written before a unit, such as `5 km`; with an offset unit, a point on its scale. */
    | { readonly kind: 'measure'; readonly amount: Node; readonly unit: Node }
    | { readonly kind: 'convert'; readonly from: Node; readonly to: Node }
    /** Only as a whole expression. */
    | { readonly kind: 'show'; readonly format: Format; readonly operand: Node }
    | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Node; readonly right: Node }
  )

/** How tightly a node binds. */
const LEVELS = {
  conversion: 0,
  sum: 1,
  product: 2,
  sign: 3,
  measure: 4,
  power: 5,
  postfix: 6,
  primary: 7,
} as const

/** Prints an expression with the parentheses that it needs; parsing the output returns the same tree. */
export function printNode(node: Node): string {
  switch (node.kind) {
    case 'number':
      return node.text
    case 'name':
      return node.name
    case 'call':
      return `${node.name}(${node.args.map(printNode).join(', ')})`
    case 'negate':
      return `-${printAt(node.operand, node.operand.kind === 'measure' ? LEVELS.measure : LEVELS.postfix)}`
    case 'postfix':
      return `${printAt(node.operand, LEVELS.primary)}${node.operator}`
    case 'binary':
      return printBinary(node)
    case 'measure':
      return `${printAt(node.amount, LEVELS.primary)} ${printUnit(node.unit)}`
    case 'convert':
      return `${printNode(node.from)} to ${printAt(node.to, LEVELS.product)}`
    case 'show':
      return `${printAt(node.operand, LEVELS.sum)} to ${node.format}`
    case 'compare':
      return `${printNode(node.left)} ${node.operator} ${printNode(node.right)}`
  }
}

function levelOf(node: Node): number {
  switch (node.kind) {
    case 'number':
    case 'name':
    case 'call':
      return LEVELS.primary
    case 'negate':
      return LEVELS.sign
    case 'postfix':
      return LEVELS.postfix
    case 'binary':
      if (node.operator === '^') return LEVELS.power
      return node.operator === '+' || node.operator === '-' ? LEVELS.sum : LEVELS.product
    case 'measure':
      return LEVELS.measure
    case 'convert':
    case 'show':
    case 'compare':
      return LEVELS.conversion
  }
}

function printAt(node: Node, level: number): string {
  return levelOf(node) >= level ? printNode(node) : `(${printNode(node)})`
}

function printBinary({ operator, left, right }: Extract<Node, { kind: 'binary' }>): string {
  switch (operator) {
    case '+':
    case '-':
      return `${printAt(left, LEVELS.sum)} ${operator} ${printAt(right, LEVELS.product)}`
    case '^': {
      const isSigned = right.kind === 'negate' && levelOf(right.operand) >= LEVELS.postfix
      return `${printAt(left, LEVELS.postfix)}^${isSigned ? printNode(right) : printAt(right, LEVELS.postfix)}`
    }
    case '/':
      return `${printFactor(left, '/')} / ${printAt(right, LEVELS.power)}`
    case '*':
    case '//':
    case 'mod':
      return `${printFactor(left, operator)} ${operator} ${printAt(right, LEVELS.sign)}`
  }
}

/** The left side of a product; only `a * b * c` and `a * b / c` are written without parentheses. */
function printFactor(left: Node, operator: BinaryOperator): string {
  const isClear =
    levelOf(left) !== LEVELS.product ||
    (left.kind === 'binary' && left.operator === '*' && (operator === '*' || operator === '/'))
  return printAt(left, isClear ? LEVELS.product : LEVELS.sign)
}

/** The unit of a measure: `kg m`, as it is written after a number. */
function printUnit(unit: Node): string {
  if (unit.kind !== 'binary' || unit.operator !== '*') return printAt(unit, LEVELS.power)
  return `${printUnit(unit.left)} ${printUnit(unit.right)}`
}
