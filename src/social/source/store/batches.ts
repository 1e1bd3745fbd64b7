/** Rows per statement, so that no statement exceeds the parameter limit of either database. */
const ROWS_AT_ONCE = 200

/** Splits rows into batches of one statement each. */
export function batches<Row>(rows: readonly Row[]): Row[][] {
  const starts = Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, at) => at * ROWS_AT_ONCE)
  return starts.map((start) => rows.slice(start, start + ROWS_AT_ONCE))
}
