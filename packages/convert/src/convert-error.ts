/** Thrown by everything in this folder when a text cannot be converted. */
export class ConvertError extends Error {
  /** Position in the input, both from 1; null when no single position applies. */
  readonly line: number | null
  readonly column: number | null
  constructor(message: string, line: number | null = null, column: number | null = null) {
    super(message)
    this.name = 'ConvertError'
    this.line = line
    this.column = column
  }
}
