import type { SqlDialect } from '../format.ts'
import type { Notes } from '../notes.ts'
import { toJsonValue } from '../sql/json-literal.ts'
import { readCopyLines } from '../sql/read-copy.ts'
import { readCreateTable, type TableDefinition } from '../sql/read-create-table.ts'
import { readLiteral } from '../sql/read-literal.ts'
import { readNameList, readTableName } from '../sql/read-name.ts'
import { faultAt, SqlTokens, showToken } from '../sql/sql-tokens.ts'
import type { Place } from '../text-cursor.ts'
import { Fields, type Value } from '../value.ts'
import { numberColumns } from './name-columns.ts'
import type { ReadItem, Reading } from './read-item.ts'

/** SQLite's internal tables, which statements cannot create. */
const INTERNAL = /^sqlite_/i

/**
 * Reads the rows of a dump: every INSERT and REPLACE with VALUES, and COPY with its data lines. CREATE TABLE
 * defines the columns; all other statements are skipped. If `dialect` is null, it is detected.
 */
export function* readSql(reading: Reading, dialect: SqlDialect | null): Generator<ReadItem> {
  const tokens = new SqlTokens(reading.cursor, dialect)
  const reader = new DumpReader(reading, tokens)
  for (let token = tokens.peek(); token.kind !== 'end'; token = tokens.peek()) {
    if (token.kind === 'word') yield* reader.readStatement(token.upper)
    // A psql command such as \restrict takes its whole line.
    else if (token.kind === 'sign' && token.text === '\\') tokens.takeLine()
    else skipStatement(tokens)
  }
}

type KnownTable = TableDefinition & { readonly jsonColumns: readonly string[] }

/** Keywords between INSERT or REPLACE and INTO; MySQL allows INTO to be omitted. */
const MODIFIERS = [
  'LOW_PRIORITY',
  'DELAYED',
  'HIGH_PRIORITY',
  'IGNORE',
  'OVERWRITE',
  'OR',
  'REPLACE',
  'ROLLBACK',
  'ABORT',
  'FAIL',
]

class DumpReader {
  readonly #tokens: SqlTokens
  readonly #notes: Notes
  readonly #maxColumns: number
  readonly #tables = new Map<string, KnownTable>()

  constructor({ notes, limits }: Reading, tokens: SqlTokens) {
    this.#tokens = tokens
    this.#notes = notes
    this.#maxColumns = limits.columns
  }

  *readStatement(word: string): Generator<ReadItem> {
    const tokens = this.#tokens
    switch (word) {
      case 'INSERT':
      case 'REPLACE':
        tokens.next()
        return yield* this.#readInsert()
      case 'CREATE':
        tokens.next()
        return yield* this.#readCreate()
      case 'COPY':
        tokens.next()
        return yield* this.#readCopy()
      case 'DELIMITER':
        return tokens.setDelimiter(tokens.takeLine().trim())
      case 'SET':
        tokens.next()
        return this.#readSet()
      case 'PRAGMA':
        tokens.recognise('sqlite')
        break
      case 'LOCK':
        tokens.recognise('mysql')
    }
    skipStatement(tokens)
  }

  #readSet(): void {
    const tokens = this.#tokens
    if (tokens.takeWord('STANDARD_CONFORMING_STRINGS')) {
      tokens.recognise('postgres')
      if (!tokens.takeSign('=')) tokens.takeWord('TO')
      tokens.setBackslashes(tokens.takeWord('OFF'))
    }
    skipStatement(tokens)
  }

  *#readCreate(): Generator<ReadItem> {
    const tokens = this.#tokens
    const before = ['TEMP', 'TEMPORARY', 'UNLOGGED', 'GLOBAL', 'LOCAL', 'OR', 'FOREIGN']
    while (before.some((word) => tokens.takeWord(word)) || tokens.takeWord('REPLACE'));
    if (!tokens.takeWord('TABLE')) return skipDefinition(tokens)
    const table = readCreateTable(tokens)
    skipStatement(tokens)
    if (!table || table.columns.length === 0 || INTERNAL.test(table.name)) return
    const jsonColumns = table.columns.filter((_, at) => /^jsonb?$/.test(table.types[at] ?? ''))
    this.#tables.set(table.name, { ...table, jsonColumns })
    yield { kind: 'table', table: table.name, columns: table.columns }
  }

  *#readInsert(): Generator<ReadItem> {
    const tokens = this.#tokens
    const { line } = tokens.place()
    while (MODIFIERS.some((word) => tokens.takeWord(word)));
    tokens.takeWord('INTO')
    const isBacktick = tokens.peek()
    if (isBacktick.kind === 'name' && !isBacktick.isDouble) tokens.recognise('mysql')
    const table = readTableName(tokens)
    const token = tokens.peek()
    const isList = token.kind === 'sign' && token.text === '('
    const columns = isList ? readNameList(tokens) : null
    while (tokens.takeWord('OVERRIDING')) [tokens.next(), tokens.next()]
    const hasValues = tokens.takeWord('VALUES') || tokens.takeWord('VALUE')
    if (!hasValues || INTERNAL.test(table)) {
      const why = hasValues ? 'internal table of SQLite' : 'INSERT without VALUES'
      this.#notes.add(`table ${table}: ${why}; its rows are skipped`, line)
      return skipStatement(tokens)
    }
    do {
      const place = tokens.place()
      yield this.#toRecord(table, columns, this.#readTuple(), place)
    } while (tokens.takeSign(','))
    skipStatement(tokens)
  }

  #readTuple(): Value[] {
    const tokens = this.#tokens
    const values: Value[] = []
    if (!tokens.takeSign('('))
      throw tokens.fault(`expected the "(" of a row, found ${showToken(tokens.peek())}`)
    do {
      if (values.length >= this.#maxColumns)
        throw tokens.fault(`too many columns in a row (limit ${this.#maxColumns})`)
      values.push(readLiteral(tokens))
    } while (tokens.takeSign(','))
    if (!tokens.takeSign(')'))
      throw tokens.fault(`expected "," or ")" in a row, found ${showToken(tokens.peek())}`)
    return values
  }

  *#readCopy(): Generator<ReadItem> {
    const tokens = this.#tokens
    tokens.recognise('postgres')
    const isQuery = tokens.peek()
    if (isQuery.kind === 'sign') return skipStatement(tokens)
    const table = readTableName(tokens)
    const token = tokens.peek()
    const columns = token.kind === 'sign' && token.text === '(' ? readNameList(tokens) : null
    const isFromInput = tokens.takeWord('FROM') && tokens.takeWord('STDIN')
    let isPlain = true
    for (
      let next = tokens.peek();
      next.kind !== 'statement-end' && next.kind !== 'end';
      next = tokens.peek()
    ) {
      isPlain = false
      tokens.next()
    }
    if (!isFromInput) return skipStatement(tokens)
    if (!isPlain) throw tokens.fault('COPY with options is not supported: dump with --inserts')
    tokens.next()
    const known = this.#tables.get(table)
    const names = columns ?? known?.columns ?? null
    const types = names && known ? names.map((name) => known.types[known.columns.indexOf(name)] ?? '') : null
    for (const { values, line } of readCopyLines(tokens, types))
      yield this.#toRecord(table, names, values, { line, column: 1 })
  }

  #toRecord(table: string, columns: readonly string[] | null, values: Value[], place: Place): ReadItem {
    const known = this.#define(table, columns ?? null, values.length)
    const names = columns ?? known.columns
    if (values.length !== names.length)
      throw faultAt(place, `a row of ${table} has ${values.length} values for ${names.length} columns`)
    for (const column of known.jsonColumns) {
      const at = names.indexOf(column)
      const value = values[at]
      if (typeof value === 'string') values[at] = toJsonValue(value)
    }
    return { kind: 'record', table, value: new Fields(names, values), line: place.line }
  }

  /** The definition of a table; without a CREATE TABLE, it has as many columns as its first row. */
  #define(name: string, columns: readonly string[] | null, width: number): KnownTable {
    let known = this.#tables.get(name)
    if (!known) {
      known = { name, columns: columns ?? numberColumns(width), types: [], jsonColumns: [] }
      this.#tables.set(name, known)
    }
    return known
  }
}

/** Skips a statement that holds no rows. */
function skipStatement(tokens: SqlTokens): void {
  for (let { kind } = tokens.peek(); kind !== 'end'; { kind } = tokens.peek()) {
    tokens.next()
    if (kind === 'statement-end') return
  }
}

/**
 * Skips a CREATE statement for anything but a table. The body of a trigger contains statements and ends with
 * `; END ;`, the rule that SQLite itself applies; a PostgreSQL body that starts with BEGIN ATOMIC ends the
 * same way.
 */
function skipDefinition(tokens: SqlTokens): void {
  let isTrigger = false
  let isInBody = false
  let last = ''
  for (let token = tokens.peek(); token.kind !== 'end'; token = tokens.peek()) {
    tokens.next()
    const word = token.kind === 'word' ? token.upper : ''
    if (word === 'TRIGGER') isTrigger = true
    if ((isTrigger && word === 'BEGIN') || (last === 'BEGIN' && word === 'ATOMIC')) isInBody = true
    if (token.kind === 'statement-end') {
      if (!isInBody || last === ';END') return
      last = ';'
    } else last = word === 'END' && last === ';' ? ';END' : word
  }
}
