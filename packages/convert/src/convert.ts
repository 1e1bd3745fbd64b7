import { ConvertError } from './convert-error.ts'
import { type ConvertOptions, isTabular } from './format.ts'
import { parseJson } from './json/parse-json.ts'
import { Notes } from './notes.ts'
import { toFields } from './read/name-columns.ts'
import { readDelimited } from './read/read-delimited.ts'
import type { ReadItem, Reading } from './read/read-item.ts'
import {
  findList,
  isObjectOfTables,
  noteList,
  readJson,
  readNdjson,
  readObjectOfTables,
} from './read/read-json.ts'
import { readSql } from './read/read-sql.ts'
import { flatten, nest } from './table/flatten.ts'
import { type Table, TableSet } from './table/table.ts'
import { TextCursor } from './text-cursor.ts'
import { Fields, type Value } from './value.ts'
import type { TableWriter } from './write/table-writer.ts'
import { createDelimitedWriter } from './write/write-delimited.ts'
import { createJsonWriter, createNdjsonWriter } from './write/write-json.ts'
import { createSqlWriter } from './write/write-sql.ts'

/** A text in chunks that can be read from the start more than once. */
export type Source = () => Iterable<string>

/** Part of the output text of one table. */
export type Piece = { readonly table: Table; readonly text: string }

/** Minimum length of a piece, in UTF-16 code units; the last piece of a table may be shorter. */
const PIECE_LENGTH = 65_536

/**
 * Converts a text from one format to another. Unless it is JSON or SQL, memory use depends on the longest row, not on the
 * number of rows: if columns must be known before the first row, the source is read twice.
 * @returns the tables with their columns and row counts
 * @throws ConvertError with line and column if the text is invalid or a limit is exceeded
 */
export function* convert(
  source: Source,
  options: ConvertOptions,
  notes: Notes,
): Generator<Piece, readonly Table[]> {
  const tables = new TableSet({ requested: options.table, max: options.limits.tables })
  const read = chooseReader(source, options)
  if (needsSurvey(options)) survey(read(new Notes()), tables, options)
  const writer = createWriter(options, notes)
  const pieces = new Pieces(writer, options.limits.writtenBytes)
  const { limits } = options
  let rows = 0
  for (const item of read(notes)) {
    const table = tables.find(item.kind === 'document' ? null : item.table)
    if (!table) continue
    note(table, item, options)
    pieces.begin(table)
    if (item.kind === 'table') continue
    rows += 1
    const line = item.kind === 'record' ? item.line : null
    if (rows > limits.rows) throw new ConvertError(`too many rows (limit ${limits.rows})`, line)
    const isFull = pieces.add(table, writer.record(table, shape(item.value, options), line))
    table.rows += 1
    if (isFull) yield pieces.take(table)
  }
  if (tables.all().length === 0) addEmpty(tables, options)
  for (const table of tables.all()) {
    pieces.begin(table)
    pieces.add(table, writer.end(table))
    yield pieces.take(table)
  }
  return tables.all()
}

/** Parses the text once without writing output, so it takes linear time. @returns the first syntax error, or null */
export function findSyntaxError(text: string, options: ConvertOptions): ConvertError | null {
  try {
    for (const _ of chooseReader(() => [text], options)(new Notes()));
    return null
  } catch (error) {
    if (error instanceof ConvertError) return error
    throw error
  }
}

/** Buffers the output of each table until a piece is long enough. */
class Pieces {
  readonly #writer: TableWriter
  readonly #maxBytes: number
  readonly #texts = new Map<Table, string>()
  #bytes = 0

  constructor(writer: TableWriter, maxBytes: number) {
    this.#writer = writer
    this.#maxBytes = maxBytes
  }

  /** Writes the header of a table, once. */
  begin(table: Table): void {
    if (!this.#texts.has(table)) this.#texts.set(table, this.#writer.begin(table))
  }

  /** @returns whether the piece has reached its minimum length */
  add(table: Table, text: string): boolean {
    const gathered = (this.#texts.get(table) ?? '') + text
    this.#texts.set(table, gathered)
    return gathered.length >= PIECE_LENGTH
  }

  take(table: Table): Piece {
    const text = this.#texts.get(table) ?? ''
    this.#texts.set(table, '')
    this.#bytes += Buffer.byteLength(text)
    if (this.#bytes > this.#maxBytes)
      throw new ConvertError(`the converted text is too long (limit ${this.#maxBytes} bytes)`)
    return { table, text }
  }
}

/** An input without rows is one unnamed table, except in SQL, where it is an error. */
function addEmpty(tables: TableSet, { from }: ConvertOptions): void {
  if (from === 'sql') throw new ConvertError('no CREATE TABLE and no INSERT with values found')
  tables.find(null)
}

/** The returned function reads the source from the start on every call. */
function chooseReader(source: Source, options: ConvertOptions): (notes: Notes) => Iterable<ReadItem> {
  const { from, to, limits, header, types } = options
  const delimiter = from === 'tsv' ? '\t' : options.delimiter
  const begin = (notes: Notes): Reading => ({ cursor: new TextCursor(source()), limits, notes })
  switch (from) {
    case 'json': {
      const text = [...source()].join('').replace(/^\ufeff/, '')
      const root = parseJson(text, limits.depth)
      if (isTabular(to) && isObjectOfTables(root)) return () => readObjectOfTables(root)
      const list = isTabular(to) ? findList(root) : null
      if (list && list.name === options.table) return () => readJson(list.rows)
      return (notes) => {
        if (list) noteList(list, notes)
        return readJson(root)
      }
    }
    case 'ndjson':
      return (notes) => readNdjson(begin(notes))
    case 'csv':
    case 'tsv':
      return (notes) => readDelimited(begin(notes), { delimiter, header, types })
    case 'sql': {
      const text = [...source()].join('')
      return (notes) => readSql(begin(notes), options.fromDialect, text)
    }
  }
}

function createWriter(options: ConvertOptions, notes: Notes): TableWriter {
  const { to, limits } = options
  switch (to) {
    case 'json':
      return createJsonWriter(options)
    case 'ndjson':
      return createNdjsonWriter()
    case 'csv':
    case 'tsv':
      return createDelimitedWriter(
        { ...options, delimiter: to === 'csv' ? ',' : '\t', depth: limits.depth },
        notes,
      )
    case 'sql':
      return createSqlWriter(options, notes)
  }
}

/** Whether columns or their types must be known before the first row is written. */
function needsSurvey({ from, to }: ConvertOptions): boolean {
  if (to === 'sql') return true
  return isTabular(to) && from !== 'csv' && from !== 'tsv'
}

function survey(items: Iterable<ReadItem>, tables: TableSet, options: ConvertOptions): void {
  const max = options.limits.columns
  for (const item of items) {
    const table = tables.find(item.kind === 'document' ? null : item.table)
    if (!table) continue
    if (item.kind === 'table') table.addColumns(item.columns, max)
    else table.survey(toFields(shape(item.value, options)), max)
  }
}

/** Records the columns of an item for the answer. */
function note(table: Table, item: ReadItem, options: ConvertOptions): void {
  const { columns } = options.limits
  if (item.kind === 'document') table.isDocument = true
  if (needsSurvey(options)) return
  if (item.kind === 'table') table.addColumns(item.columns, columns)
  else if (item.value instanceof Fields && table.columns.length < columns)
    table.addColumns(item.value.names.slice(0, columns - table.columns.length), columns)
}

/** Flattens or nests the record if the two formats differ in that. */
function shape(value: Value, { from, to, flatten: isFlat, limits }: ConvertOptions): Value {
  if (!isFlat || isTabular(from) === isTabular(to)) return value
  if (isTabular(to)) return flatten(toFields(value))
  return value instanceof Fields ? nest(value, limits.depth) : value
}
