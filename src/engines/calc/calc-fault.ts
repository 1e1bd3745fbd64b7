/** Why an expression has no result. */
export type CalcFaultKind =
  /** The text is not an expression. */
  | 'syntax'
  /** The expression is valid but has no value, such as `1/0`, or its value exceeds the limits. */
  | 'value'
  /** The value may exist, but computing it would exceed the budget. */
  | 'budget'

/** An error in the expression: its syntax, its value or its cost. */
export class CalcFault extends Error {
  readonly kind: CalcFaultKind
  /** Column in the expression, from 1; null until the failing node is known. */
  readonly column: number | null
  constructor(kind: CalcFaultKind, message: string, column: number | null = null) {
    super(message)
    this.name = 'CalcFault'
    this.kind = kind
    this.column = column
  }
}

/** Adds a column to an error that has none; the innermost column wins. */
export function placeFault(error: unknown, column: number): unknown {
  if (!(error instanceof CalcFault) || error.column !== null) return error
  return new CalcFault(error.kind, error.message, column)
}
