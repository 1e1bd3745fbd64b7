import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { PermanentError } from '../../fetching/failure.ts'
import { type Engine, STATEMENT_LIMITS, splitTsv } from './engine.ts'
import { withEngineFailures } from './engine-failure.ts'

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

/** Opens ClickHouse in this process. @throws PermanentError without chDB, or if the folder is in use. */
export async function openChdbEngine(folder: string): Promise<Engine> {
  const { createChdbConnection } = await loadChdb()
  const path = resolve(folder)
  mkdirSync(path, { recursive: true })
  const connection = openConnection(() => createChdbConnection({ path }), path)
  // chDB implements the client's interface, but was compiled against another copy of its declarations.
  const client = createClient({
    connection: connection as unknown as ClientConnection,
    clickhouse_settings: STATEMENT_LIMITS,
    log: { level: ClickHouseLogLevel.OFF },
  })
  const query = (sql: string, signal?: AbortSignal) =>
    withEngineFailures(path, async () => {
      const result = await client.query({
        query: sql,
        format: 'TabSeparated',
        ...(signal ? { abort_signal: signal } : {}),
      })
      return result.text()
    })
  const version = (await query('SELECT version()')).trim()
  return {
    version,
    command: (sql, signal) =>
      withEngineFailures(path, async () => {
        await client.command({ query: sql, ...(signal ? { abort_signal: signal } : {}) })
      }),
    async rows(sql, signal) {
      return splitTsv(await query(sql, signal))
    },
    insert: ({ table, columns, tsv }, signal) =>
      withEngineFailures(path, async () => {
        signal.throwIfAborted()
        // The client's own insert would convert the bytes to text, which loses those that are not UTF-8.
        await connection.chdb.rawInsert({ table, columns, values: tsv, format: 'TabSeparated' })
      }),
    close: () => client.close(),
  }
}

async function loadChdb() {
  try {
    return await import('chdb/connection')
  } catch (error) {
    throw new PermanentError(
      'the ledger needs the optional package chdb, which is not installed or not built for this platform; ' +
        'install it, or set TOLLBOOK_LEDGER_URL to a ClickHouse server',
      { cause: error },
    )
  }
}

function openConnection<Connection>(open: () => Connection, path: string): Connection {
  try {
    return open()
  } catch (error) {
    throw new PermanentError(`cannot open the ledger's folder ${path}; another process may be using it`, {
      cause: error,
    })
  }
}
