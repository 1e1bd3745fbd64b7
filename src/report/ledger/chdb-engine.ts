import { resolve } from 'node:path'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { PermanentError } from '../../fetching/failure.ts'
import { makeFolder } from '../../flow/make-folder.ts'
import { createEngine, type Engine, STATEMENT_LIMITS } from './engine.ts'

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

/** Opens ClickHouse in this process. @throws PermanentError without chDB, or if the folder is in use. */
export async function openChdbEngine(folder: string): Promise<Engine> {
  const { createChdbConnection } = await loadChdb()
  const path = resolve(folder)
  makeFolder(path)
  const connection = openConnection(() => createChdbConnection({ path }), path)
  // chDB implements the client's interface, but was compiled against another copy of its declarations.
  const client = createClient({
    connection: connection as unknown as ClientConnection,
    clickhouse_settings: STATEMENT_LIMITS,
    log: { level: ClickHouseLogLevel.OFF },
  })
  return createEngine(client, path, async ({ table, columns, tsv }, signal) => {
    signal.throwIfAborted()
    // The client's own insert would convert the bytes to text, which loses those that are not UTF-8.
    await connection.chdb.rawInsert({ table, columns, values: tsv, format: 'TabSeparated' })
  })
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
