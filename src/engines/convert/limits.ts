/** What one conversion may take. */
export type ConvertLimits = {
  readonly rows: number
  /** Of one table. */
  readonly columns: number
  /** Levels of nested lists and objects. */
  readonly depth: number
  readonly tables: number
  /** Bytes of UTF-8 of the written text. */
  readonly writtenBytes: number
}

/** Of one call, as the documentation tells them. */
export const CALL_LIMITS: ConvertLimits = {
  rows: 100_000,
  columns: 1000,
  depth: 64,
  tables: 1000,
  writtenBytes: 20_000_000,
}

/** Bytes of UTF-8 that one call may bring. */
export const MAX_INPUT_BYTES = 5_000_000
