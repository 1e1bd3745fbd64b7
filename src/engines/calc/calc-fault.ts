/** Why an expression has no answer. */
export type CalcFaultKind =
  /** The text is no expression: a slip of writing. */
  | 'syntax'
  /** The expression is read but has no value, such as `1/0`, or one beyond the limits. */
  | 'value'
  /** The value may exist, but finding it would take longer than is allowed. */
  | 'budget'

/** The refusal of an expression; thrown by everything below this folder. */
export class CalcFault extends Error {
  readonly kind: CalcFaultKind
  /** Place in the expression, from 1; null until the node that failed is known. */
  readonly column: number | null
  constructor(kind: CalcFaultKind, message: string, column: number | null = null) {
    super(message)
    this.name = 'CalcFault'
    this.kind = kind
    this.column = column
  }
}

/** The same fault at a place; the innermost place that is known stays. */
export function placeFault(error: unknown, column: number): unknown {
  if (!(error instanceof CalcFault) || error.column !== null) return error
  return new CalcFault(error.kind, error.message, column)
}
