/** A value as SQLite binds it. */
export type Bindable = null | number | bigint | string | Uint8Array

/** Steps of a transaction that the writer grants to one caller alone. */
export const CONTROL = { begin: -1, commit: -2, rollback: -3 } as const

/**
 * What the writer is asked for, in order. `steps` alternates a statement's number and its parameters
 * (`[0, ['a', 1], 1, []]`), which clones cheaper than objects; a control step has null for parameters.
 */
export type WriteRequest = {
  /** Texts of the statement numbers seen first in this request, and whether their commits may wait for the disk. */
  readonly texts: readonly (readonly [number, string, isLazy: boolean])[]
  readonly steps: readonly (number | readonly unknown[] | null)[]
  /** Whether every statement number given before is void. */
  readonly forget: boolean
  readonly close: boolean
}

export type WriteFailure = { readonly message: string; readonly code: string; readonly errcode: number }

/** The outcome of one step: rows changed, the rows of a `returning`, or why it failed. */
export type WriteOutcome =
  | number
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  | { readonly failure: WriteFailure }
