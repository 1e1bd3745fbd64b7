import { ConvertFault } from '../convert-fault.ts'
import { showCode } from '../json/json-reader.ts'
import { END, type TextCursor } from '../text-cursor.ts'
import type { Reading } from './read-item.ts'

const QUOTE = 0x22
const RETURN = 0x0d
const NEWLINE = 0x0a

/** A row as it stands in the text. */
export type DelimitedRow = {
  readonly cells: readonly string[]
  /** Which cells were in quotes. */
  readonly quoted: readonly boolean[]
  /** The line it begins on. */
  readonly line: number
}

/**
 * Splits CSV into rows and cells by RFC 4180, with another delimiter for TSV. Lines may end with CRLF, LF or CR.
 * A quote inside a cell that has none at its start is forbidden there; it is taken as text, with a warning.
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
      if (cells.length >= limits.columns) throw cursor.fault(`a row has more than ${limits.columns} columns`)
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
        notes.addOnce('a quote stands inside a cell without quotes and is taken as text', cursor.line())
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
    if (cursor.peek() === END)
      throw new ConvertFault('a cell in quotes is not closed', open.line, open.column)
    text += cursor.taken()
    cursor.advance()
    if (cursor.peek() !== QUOTE) break
    cursor.begin()
    cursor.advance()
  }
  const code = cursor.peek()
  if (code === delimiter || code === NEWLINE || code === RETURN || code === END) return text
  throw cursor.fault(`${showCode(code)} stands after the closing quote of a cell`)
}
