import { ConvertError } from '../convert-error.ts'
import type { SqlDialect } from '../format.ts'
import { toJsonText } from '../json/to-json-text.ts'
import type { Notes } from '../notes.ts'
import { toFields } from '../read/name-columns.ts'
import type { ColumnKind } from '../table/column-kind.ts'
import type { Table } from '../table/table.ts'
import { Bytes, NumberText, type Value } from '../value.ts'
import type { TableWriter } from './table-writer.ts'

export type SqlWriterOptions = {
  readonly dialect: SqlDialect
  /** Whether CREATE TABLE is written before the rows. */
  readonly createTable: boolean
}

type TypeNames = {
  readonly text: string
  readonly boolean: string
  readonly json: string
  readonly bytes: string
  readonly bigint: string
  readonly double: string
  /** Null if the dialect has no exact type with that many digits. */
  readonly decimal: (digits: number, decimals: number) => string | null
}

/** Line ends are escaped too: the MySQL client reads CRLF inside a string as LF. */
const MYSQL_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\0': '\\0',
  '\x1a': '\\Z',
  '\r': '\\r',
  '\n': '\\n',
}

const TYPES: Readonly<Record<SqlDialect, TypeNames>> = {
  ansi: {
    text: 'VARCHAR(65535)',
    boolean: 'BOOLEAN',
    json: 'JSON',
    bytes: 'BLOB',
    bigint: 'BIGINT',
    double: 'DOUBLE PRECISION',
    decimal: (digits, decimals) => `DECIMAL(${digits},${decimals})`,
  },
  postgres: {
    text: 'text',
    boolean: 'boolean',
    json: 'json',
    bytes: 'bytea',
    bigint: 'bigint',
    double: 'numeric',
    decimal: () => 'numeric',
  },
  mysql: {
    text: 'LONGTEXT',
    boolean: 'BOOLEAN',
    json: 'JSON',
    bytes: 'LONGBLOB',
    bigint: 'BIGINT',
    double: 'DOUBLE',
    // https://dev.mysql.com/doc/refman/8.4/en/precision-math-decimal-characteristics.html
    decimal: (digits, decimals) => (digits <= 65 && decimals <= 30 ? `DECIMAL(${digits},${decimals})` : null),
  },
  sqlite: {
    text: 'TEXT',
    boolean: 'BOOLEAN',
    json: 'TEXT',
    bytes: 'BLOB',
    bigint: 'INTEGER',
    double: 'REAL',
    decimal: () => null,
  },
}

/** Chosen: keeps statements readable and below every database's length limit. */
const ROWS_PER_STATEMENT = 100

/** Writes tables as CREATE TABLE and INSERT statements that name all columns. */
export function createSqlWriter({ dialect, createTable }: SqlWriterOptions, notes: Notes): TableWriter {
  const insertInto = (table: Table) =>
    `INSERT INTO ${quoteName(table.name, dialect)} (${table.columns.map((name) => quoteName(name, dialect)).join(', ')}) VALUES\n`
  const heads = new Map<Table, string>()
  return {
    begin(table) {
      heads.set(table, insertInto(table))
      if (!createTable || table.columns.length === 0) return ''
      const columns = table.columns.map((name, at) => {
        const kind = table.kinds[at]
        if (!kind) return quoteName(name, dialect)
        const rounding = findRounding(kind, dialect)
        if (rounding) notes.add(`${JSON.stringify(name)}: ${rounding}`)
        return `${quoteName(name, dialect)} ${sqlTypeOf(kind, dialect)}`
      })
      return `CREATE TABLE ${quoteName(table.name, dialect)} (\n  ${columns.join(',\n  ')}\n);\n`
    },
    record(table, value, line) {
      if (table.columns.length === 0) throw new ConvertError(`${table.name} has no columns`, line)
      const head = heads.get(table) ?? ''
      const literals = table
        .align(toFields(value), notes, line)
        .map((cell) => toSqlLiteral(cell, dialect, line))
      const before = table.rows % ROWS_PER_STATEMENT === 0 ? (table.rows > 0 ? `;\n${head}` : head) : ',\n'
      return `${before}(${literals.join(', ')})`
    },
    end: (table) => (table.rows > 0 ? ';\n' : ''),
  }
}

/** The column type for these values; text if they are of several kinds. */
function sqlTypeOf(kind: ColumnKind, dialect: SqlDialect): string {
  const names = TYPES[dialect]
  if (!kind.isUniform()) return names.text
  if (kind.isBoolean) return names.boolean
  if (kind.isNested) return names.json
  if (kind.isBytes) return names.bytes
  if (!kind.isNumber) return names.text
  if (kind.hasExponent) return names.double
  if (kind.decimals === 0 && kind.fitsInt64) return names.bigint
  return names.decimal(kind.wholeDigits + kind.decimals, kind.decimals) ?? names.double
}

/** A warning if a database of this dialect would round the numbers of a column; else null. */
function findRounding(kind: ColumnKind, dialect: SqlDialect): string | null {
  if (!kind.isNumber || !kind.isUniform()) return null
  const type = sqlTypeOf(kind, dialect)
  if (type !== 'REAL' && type !== 'DOUBLE' && type !== 'DOUBLE PRECISION') return null
  // 15 digits survive a round trip through a double (IEEE 754).
  const isSafe = !kind.hasExponent && kind.wholeDigits + kind.decimals <= 15
  return isSafe ? null : `the column is ${type}, which stores about 15 significant digits`
}

function quoteName(name: string, dialect: SqlDialect): string {
  if (name.includes('\0')) throw new ConvertError('a name contains U+0000, which SQL cannot represent')
  if (!name.isWellFormed()) throw new ConvertError('a name contains an unpaired surrogate')
  return dialect === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`
}

function toSqlLiteral(value: Value, dialect: SqlDialect, line: number | null): string {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value === 'string') return quoteText(value, dialect, line)
  if (value instanceof NumberText) return value.text
  if (value instanceof Bytes) return dialect === 'postgres' ? `'\\x${value.hex}'::bytea` : `X'${value.hex}'`
  return toJsonLiteral(quoteText(toJsonText(value), dialect, line), dialect)
}

/** Marks a string as JSON so that it is read back as JSON; each database has its own syntax. */
function toJsonLiteral(quoted: string, dialect: SqlDialect): string {
  switch (dialect) {
    case 'postgres':
      return `${quoted}::json`
    case 'sqlite':
      return `json(${quoted})`
    case 'mysql':
      // The only syntax that both MySQL and MariaDB accept.
      return `JSON_EXTRACT(${quoted},'$')`
    case 'ansi':
      return `CAST(${quoted} AS JSON)`
  }
}

function quoteText(text: string, dialect: SqlDialect, line: number | null): string {
  if (!text.isWellFormed()) throw new ConvertError('unpaired surrogates cannot be encoded as UTF-8', line)
  const doubled = text.replaceAll("'", "''")
  if (dialect === 'mysql')
    return `'${doubled.replaceAll(/[\\\p{Cc}]/gu, (one) => MYSQL_ESCAPES[one] ?? one)}'`
  if (dialect === 'sqlite' && /[\0\r]/.test(text)) return replaceMarks(doubled)
  if (text.includes('\0'))
    throw new ConvertError('a string contains U+0000, which this dialect cannot represent', line)
  return `'${doubled}'`
}

/**
 * SQLite has no escapes; its shell ends a statement at U+0000 and reads CRLF inside a string as LF. Both are
 * therefore inserted by `replace`, in place of a marker that does not occur in the string, as SQLite's own
 * dumps do.
 */
function replaceMarks(doubled: string): string {
  let literal = doubled
  const calls: string[] = []
  for (const [character, letter] of [
    ['\r', 'r'],
    ['\0', '0'],
  ] as const) {
    if (!doubled.includes(character)) continue
    let mark = `\\${letter}`
    for (let number = 1; doubled.includes(mark); number += 1) mark = `\\${letter}${number}`
    literal = literal.replaceAll(character, () => mark)
    calls.push(`,'${mark}',char(${character.charCodeAt(0)}))`)
  }
  return `${'replace('.repeat(calls.length)}'${literal}'${calls.join('')}`
}
