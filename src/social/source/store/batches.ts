/** Rows of one statement, so that no statement has more parameters than both databases take. */
const ROWS_AT_ONCE = 200

/** The rows in the portions in which they are stored. */
export function batches<Row>(rows: readonly Row[]): Row[][] {
  const starts = Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, at) => at * ROWS_AT_ONCE)
  return starts.map((start) => rows.slice(start, start + ROWS_AT_ONCE))
}
