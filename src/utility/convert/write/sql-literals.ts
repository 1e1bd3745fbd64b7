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
    return `'${doubled.replaceAll('\\', '\\\\').replaceAll('\0', '\\0').replaceAll('\x1a', '\\Z')}'`
  if (!text.includes('\0')) return `'${doubled}'`
  if (dialect === 'sqlite')
    return `(${doubled
      .split('\0')
      .map((part) => `'${part}'`)
      .join('||char(0)||')})`
  throw new ConvertFault('a text has the character U+0000, which this dialect cannot hold', line)
}
