import type { ConvertLimits } from './limits.ts'

/** `mysql` includes MariaDB; `ansi` is ISO/IEC 9075. */
export type SqlDialect = 'ansi' | 'postgres' | 'mysql' | 'sqlite'

export const FORMATS = ['json', 'ndjson', 'csv', 'tsv', 'sql'] as const
export type Format = (typeof FORMATS)[number]

/** Media types of the output. */
export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  sql: 'application/sql',
}

/** Characters between the cells of a row. */
export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

export type ConvertOptions = {
  readonly from: Format
  readonly to: Format
  /** Name for an unnamed table; if the input names its tables, the only one to convert. */
  readonly table: string | null
  /** Dialect of the input; null to detect it. */
  readonly fromDialect: SqlDialect | null
  /** Of CSV input; null for the comma of RFC 4180. TSV always has tabs. */
  readonly delimiter: Delimiter | null
  readonly dialect: SqlDialect
  readonly createTable: boolean
  /** Whether the first row of CSV and TSV holds the column names, in input and output. */
  readonly header: boolean
  readonly types: 'infer' | 'string'
  readonly pretty: boolean
  /** Whether nested objects become columns with dotted names. */
  readonly flatten: boolean
  readonly escapeFormulas: boolean
  readonly limits: ConvertLimits
}

export function isTabular(format: Format): boolean {
  return format === 'csv' || format === 'tsv' || format === 'sql'
}
