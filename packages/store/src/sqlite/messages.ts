import type { Rows } from './connection.ts'

/** Steps of a transaction, which the writer runs for one caller at a time. */
export const CONTROL = { begin: -1, commit: -2, rollback: -3 } as const

/**
 * A request to the writer, in order. `steps` alternates a statement's number and its parameters (`[0, ['a',
 * 1], 1, []]`), which is cheaper to clone than objects; a control step has null as parameters.
 */
export type WriteRequest = {
  /** Texts of statement numbers used for the first time, and whether they may be flushed later. */
  readonly texts: readonly (readonly [number, string, isLazy: boolean])[]
  readonly steps: readonly (number | readonly unknown[] | null)[]
  /** Whether all earlier statement numbers are invalid. */
  readonly forget: boolean
  readonly close: boolean
}

export type WriteFailure = { readonly message: string; readonly code: string; readonly errcode: number }

/** The outcome of one step: rows changed, the rows of a `returning`, or the error. */
export type WriteOutcome = number | Rows | { readonly failure: WriteFailure }
