import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Rows } from './connection.ts'
import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/**
 * Reads go to the calling thread's connection, all else and transactions to the writer. A connection is only
 * a token, so that any number of callers write concurrently and share commits.
 */
export function createSqliteDriver(reader: Reader, writer: Writer): Driver {
  const inTransaction = new WeakSet<DatabaseConnection>()

  async function execute<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query
    const isAlone = inTransaction.has(connection)
    if (!isAlone && isRead(query)) return toResult(reader.run(sql, parameters))
    return toResult(await writer.run(sql, parameters, { isInTransaction: isAlone }))
  }

  function open(): DatabaseConnection {
    return {
      executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        return execute<R>(this, query)
      },
      streamQuery() {
        throw new Error('the state supports pages, not streams')
      },
    }
  }

  async function end(connection: DatabaseConnection, how: 'commit' | 'rollback'): Promise<void> {
    // Kysely also rolls back after a failed commit, when another caller's transaction may be open.
    if (inTransaction.delete(connection)) await writer.end(how)
  }

  return {
    init: async () => {},
    acquireConnection: async () => open(),
    releaseConnection: async () => {},
    beginTransaction: async (connection) => {
      await writer.begin()
      inTransaction.add(connection)
    },
    commitTransaction: (connection) => end(connection, 'commit'),
    rollbackTransaction: (connection) => end(connection, 'rollback'),
    destroy: async () => {},
  }
}

function isRead(query: CompiledQuery): boolean {
  if (query.query.kind === 'SelectQueryNode') return true
  return query.query.kind === 'RawNode' && /^\s*(select|explain|pragma|values)\b/i.test(query.sql)
}

function toResult<R>(outcome: Rows | number): QueryResult<R> {
  if (typeof outcome === 'number') return { numAffectedRows: BigInt(outcome), rows: [] }
  const rows = toRows<R>(outcome)
  return { numAffectedRows: BigInt(rows.length), rows }
}

/** The rows of a statement as objects; none if it only changes rows. */
export function toRows<R>(outcome: Rows | number): R[] {
  if (typeof outcome === 'number') return []
  const { columns, rows } = outcome
  return rows.map((row) => toObject<R>(columns, row))
}

function toObject<R>(columns: readonly string[], row: readonly unknown[]): R {
  const object: Record<string, unknown> = {}
  for (let at = 0; at < columns.length; at += 1) object[columns[at] as string] = row[at]
  // Kysely derives R from the query that named these columns.
  return object as R
}
