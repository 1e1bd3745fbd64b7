import type { FunctionName } from './vocabulary.ts'

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | 'mod' | '^'
export type PostfixOperator = '!' | '!!' | '%'
export type Comparison = '<' | '<=' | '>' | '>=' | '=' | '!='

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
    | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Node; readonly right: Node }
  )

/** Prints an expression with every grouping in parentheses; parsing the output returns the same tree. */
export function printNode(node: Node): string {
  switch (node.kind) {
    case 'number':
      return node.text
    case 'name':
      return node.name
    case 'call':
      return `${node.name}(${node.args.map(printNode).join(', ')})`
    case 'negate':
      return `(-${printNode(node.operand)})`
    case 'postfix':
      return `(${printNode(node.operand)}${node.operator})`
    case 'binary':
      return `(${printNode(node.left)} ${node.operator} ${printNode(node.right)})`
    case 'measure':
      return `(${printNode(node.amount)} ${printNode(node.unit)})`
    case 'convert':
      return `(${printNode(node.from)} to ${printNode(node.to)})`
    case 'compare':
      return `${printNode(node.left)} ${node.operator} ${printNode(node.right)}`
  }
}
