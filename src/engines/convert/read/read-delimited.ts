import { ConvertError } from '../convert-error.ts'
import { Fields, type Value } from '../value.ts'
import { type DelimitedRow, readDelimitedRows } from './delimited-rows.ts'
import { inferCell } from './infer-cell.ts'
import { nameColumns, numberColumns } from './name-columns.ts'
import type { ReadItem, Reading } from './read-item.ts'

export type DelimitedOptions = {
  readonly delimiter: ',' | '\t'
  /** Whether the first row holds the column names. */
  readonly header: boolean
  /** `infer` detects numbers, booleans, null and nested values; with `string` every cell is a string. */
  readonly types: 'infer' | 'string'
}

/** Reads CSV or TSV as one table. */
export function* readDelimited(reading: Reading, options: DelimitedOptions): Generator<ReadItem> {
  const { notes } = reading
  let columns: readonly string[] | null = null
  for (const row of readDelimitedRows(reading, options.delimiter.charCodeAt(0))) {
    if (columns === null) {
      columns = options.header ? nameColumns(row.cells, row.quoted, notes) : numberColumns(row.cells.length)
      yield { kind: 'table', table: null, columns }
      if (options.header) continue
    }
    // An empty line is not a row, unless the table has a single column: then it is an empty cell.
    if (columns.length > 1 && row.cells.length === 1 && row.cells[0] === '' && !row.quoted[0]) continue
    yield { kind: 'record', table: null, value: new Fields(columns, readCells(row, columns)), line: row.line }
  }
  if (columns === null) throw new ConvertError('the input is empty (expected at least a header or a row)')

  function readCells({ cells, quoted, line }: DelimitedRow, names: readonly string[]): Value[] {
    if (cells.length > names.length)
      throw new ConvertError(
        `the row has ${cells.length} cells, but the table has ${names.length} columns`,
        line,
        1,
      )
    if (cells.length < names.length)
      notes.add(`the row has only ${cells.length} of ${names.length} cells: the missing ones are null`, line)
    return names.map((_, at) => {
      const text = cells[at]
      if (text === undefined) return null
      return options.types === 'string' ? text : inferCell(text, quoted[at] ?? false, reading.limits.depth)
    })
  }
}
