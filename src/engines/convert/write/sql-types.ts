import type { SqlDialect } from '../format.ts'
import type { ColumnKind } from '../table/column-kind.ts'

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

/** The column type for these values; text if they are of several kinds. */
export function sqlTypeOf(kind: ColumnKind, dialect: SqlDialect): string {
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
export function findRounding(kind: ColumnKind, dialect: SqlDialect): string | null {
  if (!kind.isNumber || !kind.isUniform()) return null
  const type = sqlTypeOf(kind, dialect)
  if (type !== 'REAL' && type !== 'DOUBLE' && type !== 'DOUBLE PRECISION') return null
  // 15 digits survive a round trip through a double (IEEE 754).
  const isSafe = !kind.hasExponent && kind.wholeDigits + kind.decimals <= 15
  return isSafe ? null : `the column is ${type}, which stores about 15 significant digits`
}
