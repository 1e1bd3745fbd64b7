import type { SqlDialect } from '../format.ts'
import type { Notes } from '../notes.ts'
import { CountedRows } from '../sql/counted-rows.ts'
import { readCopyLines } from '../sql/read-copy.ts'
import { readCreateTable } from '../sql/read-create-table.ts'
import { readLiteral } from '../sql/read-literal.ts'
import { readName, readNameList, readTableName } from '../sql/read-name.ts'
import { skipDefinition, takeKind } from '../sql/skip-definition.ts'
import { isLineCommand, skipStatement, skipWholeStatement, startsStatement } from '../sql/skip-statement.ts'
import { errorAt, SqlTokens, showToken } from '../sql/sql-tokens.ts'
import type { Value } from '../value.ts'
import { DumpTables } from './dump-tables.ts'
import type { ReadItem, Reading } from './read-item.ts'

/** SQLite's internal tables, which statements cannot create. */
const INTERNAL = /^sqlite_/i

/**
 * Reads the rows of a dump: every INSERT and REPLACE with values, and COPY with its data lines. CREATE TABLE defines
 * the columns; other statements are skipped. If `dialect` is null, it is detected.
 * @throws ConvertError also if `text`, the whole dump, has another number of rows by a separate count
 */
export function* readSql(reading: Reading, dialect: SqlDialect | null, text: string): Generator<ReadItem> {
  const tokens = new SqlTokens(reading.cursor, dialect)
  const counted = new CountedRows()
  const reader = new DumpReader(reading, tokens, counted)
  for (let token = tokens.peek(); token.kind !== 'end'; token = tokens.peek()) {
    if (token.kind === 'statement-end') tokens.next()
    else if (isLineCommand(tokens)) tokens.takeLine()
    else if (token.kind === 'word') yield* reader.readStatement(token.upper)
    else skipWholeStatement(tokens, reading.notes, false)
  }
  counted.compare(text, tokens)
}

/** Keywords between INSERT or REPLACE and INTO; MySQL and SQL Server allow INTO to be omitted. */
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
/** How an INSERT begins whose rows come from the database. */
const QUERIES = new Set(['SELECT', 'WITH', 'TABLE', 'EXEC', 'EXECUTE'])
/** What may follow the rows of an INSERT. */
const AFTER_ROWS = ['ON', 'RETURNING', 'AS']

class DumpReader {
  readonly #tokens: SqlTokens
  readonly #notes: Notes
  readonly #maxColumns: number
  readonly #tables = new DumpTables()
  readonly #counted: CountedRows

  constructor({ notes, limits }: Reading, tokens: SqlTokens, counted: CountedRows) {
    this.#tokens = tokens
    this.#notes = notes
    this.#maxColumns = limits.columns
    this.#counted = counted
  }

  *readStatement(word: string): Generator<ReadItem> {
    const tokens = this.#tokens
    switch (word) {
      case 'INSERT':
      case 'REPLACE':
        return yield* this.#readInsert()
      case 'CREATE':
        tokens.next()
        return yield* this.#readCreate()
      case 'ALTER': {
        tokens.next()
        const kind = takeKind(tokens)
        return kind === '' || kind === 'TABLE'
          ? skipStatement(tokens, word)
          : skipDefinition(tokens, kind, this.#notes)
      }
      case 'COPY':
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
    skipWholeStatement(tokens, this.#notes, this.#counted.hasRows)
  }

  #readSet(): void {
    const tokens = this.#tokens
    if (tokens.takeWord('STANDARD_CONFORMING_STRINGS')) {
      tokens.recognise('postgres')
      if (!tokens.takeSign('=')) tokens.takeWord('TO')
      tokens.setBackslashes(tokens.takeWord('OFF'))
    }
    skipStatement(tokens, 'SET')
  }

  *#readCreate(): Generator<ReadItem> {
    const tokens = this.#tokens
    const { line } = tokens.place()
    const kind = takeKind(tokens)
    if (kind === '') return skipStatement(tokens, 'CREATE')
    if (kind !== 'TABLE') return skipDefinition(tokens, kind, this.#notes)
    const table = readCreateTable(tokens)
    const next = tokens.peek()
    if (next.kind === 'word' && (next.upper === 'AS' || next.upper === 'SELECT'))
      this.#notes.add('CREATE TABLE from a query: its rows are skipped', line)
    skipStatement(tokens, 'TABLE')
    if (!table || table.columns.length === 0 || INTERNAL.test(table.name)) return
    this.#tables.define(table)
    yield { kind: 'table', table: table.name, columns: table.columns }
  }

  *#readInsert(): Generator<ReadItem> {
    const tokens = this.#tokens
    const { line } = tokens.place()
    tokens.next()
    while (MODIFIERS.some((word) => tokens.takeWord(word)));
    if (tokens.takeWord('ALL')) return yield* this.#readInsertAll(line)
    tokens.takeWord('INTO')
    if (yield* this.#readRows(line)) this.#endInsert()
    else skipStatement(tokens, 'INSERT')
  }

  /** `INSERT ALL INTO t VALUES (1) INTO t VALUES (2) SELECT * FROM dual` of Oracle. */
  *#readInsertAll(line: number): Generator<ReadItem> {
    const tokens = this.#tokens
    while (tokens.takeWord('INTO')) yield* this.#readRows(line)
    const query: string[] = []
    const place = tokens.place()
    for (
      let token = tokens.peek();
      token.kind !== 'end' && token.kind !== 'statement-end';
      token = tokens.peek()
    ) {
      query.push(token.kind === 'word' ? token.upper : token.text)
      tokens.next()
    }
    // From another table, the rows would be inserted once for each of its rows.
    if (!/^SELECT \S+ FROM (?:SYS \. )?DUAL$/.test(query.join(' ')))
      throw errorAt(place, 'INSERT ALL is supported only with SELECT * FROM dual after its rows')
  }

  /** Reads the table, the columns and the rows of an INSERT; false if it has no rows of its own. */
  *#readRows(line: number): Generator<ReadItem, boolean> {
    const tokens = this.#tokens
    const first = tokens.peek()
    if (first.kind === 'name' && first.quote === '`') tokens.recognise('mysql')
    const table = readTableName(tokens)
    const token = tokens.peek()
    const isList = token.kind === 'sign' && token.text === '('
    const columns = isList ? readNameList(tokens) : null
    while (tokens.takeWord('OVERRIDING')) [tokens.next(), tokens.next()]
    const next = tokens.peek()
    const isQuery = next.kind === 'word' && QUERIES.has(next.upper)
    if (isQuery || INTERNAL.test(table)) {
      const why = isQuery ? 'INSERT without VALUES' : 'internal table of SQLite'
      this.#notes.add(`table ${table}: ${why}; its rows are skipped`, line)
      tokens.takeWord('VALUES')
      return false
    }
    if (columns === null && tokens.takeWord('SET')) {
      yield this.#readAssignments(table, line)
      return true
    }
    if (!tokens.takeWord('VALUES') && !tokens.takeWord('VALUE'))
      throw tokens.error(`expected VALUES, found ${showToken(tokens.peek())}`)
    do {
      const place = tokens.place()
      const values = this.#readTuple(table)
      this.#counted.add(line)
      yield this.#tables.toRecord(table, columns, values, place)
    } while (tokens.takeSign(','))
    return true
  }

  /** `INSERT INTO t SET a = 1, b = 2` of MySQL. */
  #readAssignments(table: string, line: number): ReadItem {
    const tokens = this.#tokens
    const place = tokens.place()
    const names: string[] = []
    const values: Value[] = []
    do {
      names.push(readName(tokens))
      if (!tokens.takeSign('=')) throw tokens.error(`expected "=", found ${showToken(tokens.peek())}`)
      values.push(this.#readValue(table))
    } while (tokens.takeSign(','))
    this.#counted.add(line)
    return this.#tables.toRecord(table, names, values, place)
  }

  #readTuple(table: string): Value[] {
    const tokens = this.#tokens
    const values: Value[] = []
    if (!tokens.takeSign('('))
      throw tokens.error(`expected the "(" of a row, found ${showToken(tokens.peek())}`)
    do {
      if (values.length >= this.#maxColumns)
        throw tokens.error(`too many columns in a row (limit ${this.#maxColumns})`)
      values.push(this.#readValue(table))
    } while (tokens.takeSign(','))
    if (!tokens.takeSign(')'))
      throw tokens.error(`expected "," or ")" in a row, found ${showToken(tokens.peek())}`)
    return values
  }

  #readValue(table: string): Value {
    const tokens = this.#tokens
    const { line } = tokens.place()
    // pg_dump writes DEFAULT for a generated column.
    if (!tokens.takeWord('DEFAULT')) return readLiteral(tokens)
    this.#notes.addOnce(`table ${table}: DEFAULT is written as null`, line)
    return null
  }

  /** An INSERT ends with a semicolon, or before the next statement. */
  #endInsert(): void {
    const tokens = this.#tokens
    const { kind } = tokens.peek()
    if (AFTER_ROWS.some((word) => tokens.takeWord(word)) || kind === 'statement-end')
      skipStatement(tokens, 'INSERT')
    else if (kind !== 'end' && !startsStatement(tokens))
      throw tokens.error(`expected "," or ";" after a row, found ${showToken(tokens.peek())}`)
  }

  *#readCopy(): Generator<ReadItem> {
    const tokens = this.#tokens
    const { line: start } = tokens.place()
    tokens.next()
    tokens.recognise('postgres')
    const first = tokens.peek()
    if (first.kind === 'sign') return skipStatement(tokens)
    const table = readTableName(tokens)
    const token = tokens.peek()
    const columns = token.kind === 'sign' && token.text === '(' ? readNameList(tokens) : null
    if (tokens.takeWord('TO')) return skipStatement(tokens)
    if (!tokens.takeWord('FROM')) throw tokens.error(`expected FROM, found ${showToken(tokens.peek())}`)
    if (!tokens.takeWord('STDIN')) {
      this.#notes.add(`table ${table}: COPY from a file; its rows are skipped`, start)
      return skipStatement(tokens)
    }
    if (tokens.peek().kind !== 'statement-end')
      throw tokens.error('COPY with options is not supported: dump with --inserts')
    tokens.next()
    const known = this.#tables.find(table)
    const names = columns ?? known?.columns ?? null
    const types = names && known ? names.map((name) => known.types[known.columns.indexOf(name)] ?? '') : null
    for (const { values, line } of readCopyLines(tokens, types)) {
      this.#counted.add(start)
      yield this.#tables.toRecord(table, names, values, { line, column: 1 })
    }
  }
}
