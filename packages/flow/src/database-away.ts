/** The database did not answer, or its connection broke: a retry soon may succeed. What was written is uncertain. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway'
}
