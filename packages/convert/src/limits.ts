export type ConvertLimits = {
  readonly rows: number
  /** Per table. */
  readonly columns: number
  /** Nesting depth of lists and objects. */
  readonly depth: number
  readonly tables: number
  /** UTF-8 bytes of the output text. */
  readonly writtenBytes: number
}

/** Limits of one call, as documented. */
export const CALL_LIMITS: ConvertLimits = {
  rows: 100_000,
  columns: 1000,
  depth: 64,
  tables: 1000,
  writtenBytes: 20_000_000,
}

/** Maximum UTF-8 bytes of the input of one call. */
export const MAX_INPUT_BYTES = 5_000_000
