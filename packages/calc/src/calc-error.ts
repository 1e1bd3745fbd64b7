/** Why an expression has no result. */
export type CalcErrorKind =
  /** The text is not an expression. */
  | 'syntax'
  /** The expression is valid but has no value, such as `1/0`, or its value exceeds the limits. */
  | 'value'
  /** The value may exist, but computing it would exceed the budget. */
  | 'budget'

/** An error in the expression: its syntax, its value or its cost. */
export class CalcError extends Error {
  readonly kind: CalcErrorKind
  /** Column in the expression, from 1; null until the failing node is known. */
  readonly column: number | null
  constructor(kind: CalcErrorKind, message: string, column: number | null = null) {
    super(message)
    this.name = 'CalcError'
    this.kind = kind
    this.column = column
  }
}

/** Adds a column to an error that has none; the innermost column wins. */
export function locateError(error: unknown, column: number): unknown {
  if (!(error instanceof CalcError) || error.column !== null) return error
  return new CalcError(error.kind, error.message, column)
}
