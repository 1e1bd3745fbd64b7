/** An expression as somebody types it, and what two other programs compute instead. */
export type TypedCase = {
  readonly form: string
  readonly typed: string
  /** In PARI/GP; null if the expression must be refused. */
  readonly pari: string | null
  /** In GNU units: what it has, and what it converts to. */
  readonly gnu: readonly [have: string, want: string] | null
  /** The unit of the result; undefined for the target of a conversion, which the value proves. */
  readonly unit?: string | null
}
