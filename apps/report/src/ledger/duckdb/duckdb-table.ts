import { setImmediate as turn } from 'node:timers/promises'
import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import {
  type Column,
  type ColumnType,
  checkAmount,
  type LedgerTable,
  PARTITION_SECONDS,
  ROWS_PER_INSERT,
  type TableDefinition,
} from '../engine/table.ts'
import { type DuckdbDatabase, loadDuckdb } from './duckdb-database.ts'

/** DuckDB processes vectors of this many rows, https://duckdb.org/docs/stable/internals/vector */
const ROWS_PER_CHUNK = 2_048

/** A chain's table for queries. Keys of 20 bytes are exact, and take half as long again as a hash of 8. */
export function duckdbTableOf(
  { name, keyed }: Pick<TableDefinition<never>, 'name' | 'keyed'>,
  chain: string,
): string {
  return `(SELECT *, ${keyed.map((column) => `${column} AS ${column}_key`).join(', ')} FROM ${name}_${chain})`
}

/** Opens a chain's table, created where missing. */
export async function openDuckdbTable<Row>(
  database: DuckdbDatabase,
  definition: TableDefinition<Row>,
  chain: string,
): Promise<LedgerTable<Row>> {
  const own = `${definition.name}_${chain}`
  const { columns, orderBy } = definition
  const types = columns.map(({ name, type }) => `${name} ${toSqlType(type)} NOT NULL`)
  await database.write(async (connection) => {
    await connection.run(`CREATE TABLE IF NOT EXISTS ${own} (${types.join(', ')}, attempt UBIGINT NOT NULL)`)
  })
  const run = (sql: string, signal: AbortSignal) =>
    database.write(async (connection) => void (await connection.run(sql)), signal)
  const names = columns.map(({ name }) => name).join(', ')
  return {
    table: duckdbTableOf(definition, chain),
    async insert(attempt, rows, signal) {
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
        const some = rows.slice(at, at + ROWS_PER_INSERT)
        await database.write((connection) => append({ connection, own, columns }, some, attempt), signal)
      }
    },
    // In the order by which rows of one wallet are read: then they are next to each other.
    merge: (attempt, from, signal) =>
      run(
        `INSERT INTO ${own} (${names}, attempt) SELECT ${names}, ${attempt} FROM ${own}
        WHERE attempt IN (${from.join(', ')}) ORDER BY ${orderBy.join(', ')}`,
        signal,
      ),
    async remove(attempts, signal) {
      if (attempts.length > 0)
        await run(`DELETE FROM ${own} WHERE attempt IN (${attempts.join(', ')})`, signal)
    },
    removeWeek: (week, signal) =>
      run(
        `DELETE FROM ${own} WHERE ts >= ${week * PARTITION_SECONDS} AND ts < ${(week + 1) * PARTITION_SECONDS}`,
        signal,
      ),
  }
}

type Target<Row> = {
  readonly connection: DuckDBConnection
  readonly own: string
  readonly columns: readonly Column<Row>[]
}

async function append<Row>(
  { connection, own, columns }: Target<Row>,
  rows: readonly Row[],
  attempt: number,
): Promise<void> {
  const duckdb = await loadDuckdb()
  const { DuckDBDataChunk } = duckdb
  const types = [...columns.map(({ type }) => toType(duckdb, type)), duckdb.UBIGINT]
  const appender = await connection.createAppender(own)
  try {
    for (let at = 0; at < rows.length; at += ROWS_PER_CHUNK) {
      const some = rows.slice(at, at + ROWS_PER_CHUNK)
      const chunk = DuckDBDataChunk.create(types, some.length)
      const values = columns.map((column) => toValues(duckdb, column, some))
      chunk.setColumns([...values, some.map(() => BigInt(attempt))])
      appender.appendDataChunk(chunk)
      // Other work of the process goes on meanwhile.
      await turn()
    }
  } finally {
    appender.closeSync()
  }
}

type Duckdb = typeof import('@duckdb/node-api')

function toValues<Row>(
  { DuckDBBlobValue }: Duckdb,
  column: Column<Row>,
  rows: readonly Row[],
): readonly DuckDBValue[] {
  if (column.type === 'UInt64') return rows.map((row) => checkAmount(column.of(row)))
  if (column.type === 'UInt8' || column.type === 'UInt32') return rows.map((row) => column.of(row))
  return rows.map((row) => new DuckDBBlobValue(Buffer.from(column.of(row).slice(2), 'hex')))
}

function toType({ UTINYINT, UINTEGER, UBIGINT, BLOB }: Duckdb, type: ColumnType): DuckDBType {
  if (type === 'UInt8') return UTINYINT
  if (type === 'UInt32') return UINTEGER
  return type === 'UInt64' ? UBIGINT : BLOB
}

function toSqlType(type: ColumnType): string {
  if (type === 'UInt8') return 'UTINYINT'
  if (type === 'UInt32') return 'UINTEGER'
  return type === 'UInt64' ? 'UBIGINT' : 'BLOB'
}
