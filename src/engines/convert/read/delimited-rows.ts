import { ConvertError } from '../convert-error.ts'
import { showCode } from '../json/json-reader.ts'
import { END, type TextCursor } from '../text-cursor.ts'
import type { Reading } from './read-item.ts'

const QUOTE = 0x22
const RETURN = 0x0d
const NEWLINE = 0x0a

/** A row before type inference. */
export type DelimitedRow = {
  readonly cells: readonly string[]
  /** Whether each cell was quoted. */
  readonly quoted: readonly boolean[]
  /** The line on which the row starts. */
  readonly line: number
}

/**
 * Splits CSV into rows and cells by RFC 4180, or TSV by the same rules with another delimiter. Lines end with
 * CRLF, LF or CR. RFC 4180 forbids a quote inside an unquoted cell; here it is read as text, with a warning.
 */
export function* readDelimitedRows(
  { cursor, notes, limits }: Reading,
  delimiter: number,
): Generator<DelimitedRow> {
  while (cursor.peek() !== END) {
    const line = cursor.line()
    const cells: string[] = []
    const quoted: boolean[] = []
    for (;;) {
      const isQuoted = cursor.peek() === QUOTE
      if (cells.length >= limits.columns)
        throw cursor.fault(`too many columns in a row (limit ${limits.columns})`)
      cells.push(isQuoted ? readQuoted(cursor, delimiter) : readBare())
      quoted.push(isQuoted)
      if (!cursor.take(delimiter)) break
    }
    if (cursor.take(RETURN)) cursor.take(NEWLINE)
    else cursor.take(NEWLINE)
    yield { cells, quoted, line }
  }

  function readBare(): string {
    cursor.begin()
    for (;;) {
      const code = cursor.peek()
      if (code === delimiter || code === NEWLINE || code === RETURN || code === END) return cursor.taken()
      if (code === QUOTE)
        notes.addOnce('an unquoted cell contains a quote, which is read as text', cursor.line())
      cursor.advance()
    }
  }
}

function readQuoted(cursor: TextCursor, delimiter: number): string {
  const open = cursor.place()
  cursor.advance()
  let text = ''
  cursor.begin()
  for (;;) {
    cursor.skipTo((code) => code === QUOTE)
    if (cursor.peek() === END) throw new ConvertError('unterminated quoted cell', open.line, open.column)
    text += cursor.taken()
    cursor.advance()
    if (cursor.peek() !== QUOTE) break
    cursor.begin()
    cursor.advance()
  }
  const code = cursor.peek()
  if (code === delimiter || code === NEWLINE || code === RETURN || code === END) return text
  throw cursor.fault(`unexpected ${showCode(code)} after the closing quote of a cell`)
}
