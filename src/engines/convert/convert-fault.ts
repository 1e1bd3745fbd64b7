/** Why a text cannot be converted; thrown by everything below this folder. */
export class ConvertFault extends Error {
  /** The place in the input, both from 1; null where it belongs to no one place. */
  readonly line: number | null
  readonly column: number | null
  constructor(message: string, line: number | null = null, column: number | null = null) {
    super(message)
    this.name = 'ConvertFault'
    this.line = line
    this.column = column
  }
}
