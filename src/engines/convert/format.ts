import type { ConvertLimits } from './limits.ts'
import type { SqlDialect } from './sql/sql-dialect.ts'

export const FORMATS = ['json', 'ndjson', 'csv', 'tsv', 'sql'] as const
export type Format = (typeof FORMATS)[number]

/** Media types of what is written. */
export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  sql: 'application/sql',
}

export type ConvertOptions = {
  readonly from: Format
  readonly to: Format
  /** The name of a table that has none; where tables have names, the only one to convert. */
  readonly table: string | null
  /** Of the SQL that is read; null where it shall be recognised. */
  readonly fromDialect: SqlDialect | null
  /** Of the SQL that is written. */
  readonly dialect: SqlDialect
  readonly createTable: boolean
  /** Whether the first row of CSV and TSV names the columns, read and written. */
  readonly header: boolean
  readonly types: 'infer' | 'string'
  readonly pretty: boolean
  /** Whether nested objects are columns with points in their names. */
  readonly flatten: boolean
  readonly escapeFormulas: boolean
  readonly limits: ConvertLimits
}

/** Whether a format has columns. */
export function isTabular(format: Format): boolean {
  return format === 'csv' || format === 'tsv' || format === 'sql'
}
