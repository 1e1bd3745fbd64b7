import { ConvertError } from '../convert-error.ts'
import type { SqlDialect } from '../format.ts'
import { toJsonText } from '../json/to-json-text.ts'
import { Bytes, NumberText, type Value } from '../value.ts'

/** Quotes an identifier for the dialect. */
export function quoteName(name: string, dialect: SqlDialect): string {
  if (name.includes('\0')) throw new ConvertError('a name contains U+0000, which SQL cannot represent')
  if (!name.isWellFormed()) throw new ConvertError('a name contains an unpaired surrogate')
  return dialect === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`
}

/** Formats a value as a literal of the dialect. */
export function toSqlLiteral(value: Value, dialect: SqlDialect, line: number): string {
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

function quoteText(text: string, dialect: SqlDialect, line: number): string {
  if (!text.isWellFormed()) throw new ConvertError('unpaired surrogates cannot be encoded as UTF-8', line)
  const doubled = text.replaceAll("'", "''")
  if (dialect === 'mysql')
    return `'${doubled.replaceAll(/[\\\p{Cc}]/gu, (one) => MYSQL_ESCAPES[one] ?? one)}'`
  if (dialect === 'sqlite' && /[\0\r]/.test(text)) return replaceMarks(doubled)
  if (text.includes('\0'))
    throw new ConvertError('a string contains U+0000, which this dialect cannot represent', line)
  return `'${doubled}'`
}

/** Line ends are escaped too: the MySQL client reads CRLF inside a string as LF. */
const MYSQL_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\0': '\\0',
  '\x1a': '\\Z',
  '\r': '\\r',
  '\n': '\\n',
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
