import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '@tollbook/flow/make-folder'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { createPreparedReads } from '../prepared-read.ts'
import type { Change, State } from '../state.ts'
import type { Rows } from './connection.ts'
import { openReader, type Reader } from './reader.ts'
import { startWriter, type Writer } from './writer.ts'

/** Opens a SQLite file in WAL mode; `:memory:` is a temporary file, deleted on close. */
export async function openSqliteState<Tables>(path: string): Promise<State<Tables>> {
  const temporary = path === ':memory:' ? mkdtempSync(join(tmpdir(), 'tollbook-state-')) : null
  const file = temporary ? join(temporary, 'state.sqlite') : resolve(path)
  makeFolder(dirname(file))
  const writer = await startWriter(file)
  const reader = openReader(file)
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new ManyCallersAdapter(),
      createDriver: () => createSqliteDriver(reader, writer),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  const prepare = createPreparedReads(
    db,
    ({ sql }) =>
      async (parameters) =>
        toRows(reader.run(sql, parameters)),
  )
  const change: Change = async (sql, parameters, isLazy = false) => {
    const outcome = await writer.run(sql, parameters, { isLazy })
    return typeof outcome === 'number' ? outcome : outcome.rows.length
  }
  async function close(): Promise<void> {
    await db.destroy()
    reader.close()
    await writer.close()
    if (temporary) rmSync(temporary, { recursive: true, force: true })
  }
  return { kind: 'sqlite', db, prepare, change, file, close }
}

/** Kysely would queue all callers for one connection; ours only posts to the writer. */
class ManyCallersAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/**
 * Reads go to the calling thread's connection, all else and transactions to the writer. A connection is only
 * a token, so that any number of callers write concurrently and share commits.
 */
function createSqliteDriver(reader: Reader, writer: Writer): Driver {
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
function toRows<R>(outcome: Rows | number): R[] {
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
