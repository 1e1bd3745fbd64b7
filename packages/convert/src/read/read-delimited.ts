import { ConvertError } from '../convert-error.ts'
import { DELIMITERS, type Delimiter } from '../format.ts'
import { showCode } from '../show-code.ts'
import { inferCell } from '../table/infer-cell.ts'
import { END, type TextCursor } from '../text-cursor.ts'
import { Fields, type Value } from '../value.ts'
import { nameColumns, numberColumns } from './name-columns.ts'
import type { ReadItem, Reading } from './read-item.ts'

export type DelimitedOptions = {
  /** Null for the comma, or what a first line such as `sep=;` names. */
  readonly delimiter: Delimiter | null
  /** Whether the first row holds the column names. */
  readonly header: boolean
  /** `infer` detects numbers, booleans, null and nested values; with `string` every cell is a string. */
  readonly types: 'infer' | 'string'
}

/** A row before type inference. */
type DelimitedRow = {
  readonly cells: readonly string[]
  /** Whether each cell was quoted. */
  readonly quoted: readonly boolean[]
  /** The line on which the row starts. */
  readonly line: number
}

const QUOTE = 0x22
const RETURN = 0x0d
const NEWLINE = 0x0a

/** Reads CSV or TSV as one table. */
export function* readDelimited(reading: Reading, options: DelimitedOptions): Generator<ReadItem> {
  const { notes } = reading
  let columns: readonly string[] | null = null
  let other: Delimiter | null = null
  const delimiter = readSeparatorLine(reading, options) ?? options.delimiter ?? ','
  for (const row of readDelimitedRows(reading, delimiter.charCodeAt(0))) {
    if (columns === null) {
      other = findOtherDelimiter(row)
      if (other) noteOtherDelimiter(other, row.line)
      columns = options.header ? nameColumns(row.cells, row.quoted, notes) : numberColumns(row.cells.length)
      yield { kind: 'table', table: null, columns }
      if (options.header) continue
    }
    // An empty line is not a row, unless the table has a single column: then it is an empty cell.
    if (columns.length > 1 && row.cells.length === 1 && row.cells[0] === '' && !row.quoted[0]) continue
    yield { kind: 'record', table: null, value: new Fields(columns, readCells(row, columns)), line: row.line }
  }
  if (columns === null) throw new ConvertError('the input is empty (expected at least a header or a row)')

  /** Spreadsheets in languages with a decimal comma write semicolons. */
  function noteOtherDelimiter(found: Delimiter, line: number): void {
    const shown = showCode(found.charCodeAt(0))
    notes.add(
      `the row is a single cell that contains ${shown}: if that separates cells, convert from csv with delimiter ${shown}`,
      line,
    )
  }

  /** A number such as 2,5 stays a string: it could also be two thousand five hundred in another country. */
  function noteDecimalComma(text: string, line: number): void {
    if (delimiter !== ',' && options.types === 'infer' && /^-?\d+,\d+$/.test(text))
      notes.addOnce('numbers with a decimal comma stay strings', line)
  }

  function readCells({ cells, quoted, line }: DelimitedRow, names: readonly string[]): Value[] {
    if (cells.length > names.length) {
      const shown = other && showCode(other.charCodeAt(0))
      const hint = shown
        ? `; the first row contains ${shown}: if that separates cells, set delimiter to ${shown}`
        : ''
      const counts = `the row has ${cells.length} cells, but the table has ${names.length} columns`
      throw new ConvertError(counts + hint, line, 1)
    }
    if (cells.length < names.length)
      notes.add(`the row has only ${cells.length} of ${names.length} cells: the missing ones are null`, line)
    return names.map((_, at) => {
      const text = cells[at]
      if (text === undefined) return null
      if (!quoted[at]) noteDecimalComma(text, line)
      return options.types === 'string' ? text : inferCell(text, quoted[at] ?? false, reading.limits.depth)
    })
  }
}

/** The first row is a single unquoted cell that contains another delimiter. */
function findOtherDelimiter({ cells, quoted }: DelimitedRow): Delimiter | null {
  if (cells.length > 1 || quoted[0]) return null
  return DELIMITERS.find((delimiter) => cells[0]?.includes(delimiter)) ?? null
}

/**
 * Consumes the line `sep=;` with which Excel names the delimiter of a file; null if there is none.
 * @throws ConvertError if it names another delimiter than the caller, or one that is not supported
 */
function readSeparatorLine({ cursor }: Reading, { delimiter }: DelimitedOptions): Delimiter | null {
  const isQuoted = cursor.peek() === QUOTE
  const from = isQuoted ? 1 : 0
  const text = Array.from({ length: 5 }, (_, at) =>
    String.fromCharCode(Math.max(0, cursor.peekAt(from + at))),
  ).join('')
  const after = cursor.peekAt(from + (isQuoted ? 6 : 5))
  if (!/^sep=[^\n\r\0]$/i.test(text) || (after !== RETURN && after !== NEWLINE)) return null
  const named = DELIMITERS.find((one) => one === text[4])
  const shown = showCode(text.charCodeAt(4))
  if (!named) throw cursor.error(`the line sep= names the delimiter ${shown}, which is not supported`)
  if (delimiter !== null && delimiter !== named)
    throw cursor.error(`the line sep= names the delimiter ${shown}: omit delimiter, or remove the line`)
  cursor.advance(from + (isQuoted ? 6 : 5))
  if (cursor.take(RETURN)) cursor.take(NEWLINE)
  else cursor.take(NEWLINE)
  return named
}

/**
 * Splits CSV into rows and cells by RFC 4180, or TSV by the same rules with another delimiter. Lines end with
 * CRLF, LF or CR. RFC 4180 forbids a quote inside an unquoted cell; here it is read as text, with a warning.
 */
function* readDelimitedRows({ cursor, notes, limits }: Reading, delimiter: number): Generator<DelimitedRow> {
  while (cursor.peek() !== END) {
    const line = cursor.line()
    const cells: string[] = []
    const quoted: boolean[] = []
    for (;;) {
      const isQuoted = cursor.peek() === QUOTE
      if (cells.length >= limits.columns)
        throw cursor.error(`too many columns in a row (limit ${limits.columns})`)
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
  throw cursor.error(`unexpected ${showCode(code)} after the closing quote of a cell`)
}
