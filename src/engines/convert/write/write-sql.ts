import { ConvertError } from '../convert-error.ts'
import type { SqlDialect } from '../format.ts'
import type { Notes } from '../notes.ts'
import { toFields } from '../read/name-columns.ts'
import type { Table } from '../table/table.ts'
import { quoteName, toSqlLiteral } from './sql-literals.ts'
import { findRounding, sqlTypeOf } from './sql-types.ts'
import type { TableWriter } from './table-writer.ts'

export type SqlWriterOptions = {
  readonly dialect: SqlDialect
  /** Whether CREATE TABLE is written before the rows. */
  readonly createTable: boolean
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
