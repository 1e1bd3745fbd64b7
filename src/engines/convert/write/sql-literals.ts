import { ConvertFault } from '../convert-fault.ts'
import { toJsonText } from '../json/json-text.ts'
import type { SqlDialect } from '../sql/sql-dialect.ts'
import { Bytes, NumberText, type Value } from '../value.ts'

/** A name in the quotes of the dialect. */
export function quoteName(name: string, dialect: SqlDialect): string {
  if (name.includes('\0')) throw new ConvertFault('a name has the character U+0000, which SQL cannot hold')
  if (!name.isWellFormed()) throw new ConvertFault('a name has half a surrogate pair')
  return dialect === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`
}

/** A value as a literal of the dialect. */
export function toSqlLiteral(value: Value, dialect: SqlDialect, line: number): string {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value === 'string') return quoteText(value, dialect, line)
  if (value instanceof NumberText) return value.text
  if (value instanceof Bytes) return dialect === 'postgres' ? `'\\x${value.hex}'::bytea` : `X'${value.hex}'`
  return toJsonLiteral(quoteText(toJsonText(value), dialect, line), dialect)
}

/** Marks a text as JSON, so that it is read back as what it is; each database takes its own form. */
function toJsonLiteral(quoted: string, dialect: SqlDialect): string {
  switch (dialect) {
    case 'postgres':
      return `${quoted}::json`
    case 'sqlite':
      return `json(${quoted})`
    case 'mysql':
      // The one form that MySQL and MariaDB share.
      return `JSON_EXTRACT(${quoted},'$')`
    case 'ansi':
      return `CAST(${quoted} AS JSON)`
  }
}

function quoteText(text: string, dialect: SqlDialect, line: number): string {
  if (!text.isWellFormed()) throw new ConvertFault('half a surrogate pair has no form in UTF-8', line)
  const doubled = text.replaceAll("'", "''")
  if (dialect === 'mysql')
    return `'${doubled.replaceAll(/[\\\p{Cc}]/gu, (one) => MYSQL_ESCAPES[one] ?? one)}'`
  if (dialect === 'sqlite' && /[\0\r]/.test(text)) return replaceMarks(doubled)
  if (text.includes('\0'))
    throw new ConvertFault('a text has the character U+0000, which this dialect cannot hold', line)
  return `'${doubled}'`
}

/** Line ends too: the client of MySQL reads CRLF inside a text as LF. */
const MYSQL_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\0': '\\0',
  '\x1a': '\\Z',
  '\r': '\\r',
  '\n': '\\n',
}

/**
 * SQLite has no escapes; its shell ends a statement at U+0000, and reads CRLF inside a text as LF. So both are put in
 * by `replace`, in place of a mark that the text does not have, as its own dumps do.
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
