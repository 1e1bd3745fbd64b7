import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { PermanentError } from '@tollbook/flow/failure'
import { makeFolder } from '@tollbook/flow/make-folder'
import { MACROS } from './duckdb-dialect.ts'
import { isConflict, isInvalidated, toDuckdbFailure } from './duckdb-failure.ts'
import { interruptible } from './interruptible.ts'

/** The file in the ledger's folder; DuckDB puts its write-ahead log next to it. */
export const FILE = 'ledger.duckdb'

/** Sorts and groups of more are spilled to disk. Ten million payments take less. */
const MEMORY_LIMIT = '1500MB'
/** Two transactions that create the same table, or change the same rows, conflict; the later one runs again. */
const MAX_TRIES = 50
const CONFLICT_MS = 20

/** A DuckDB file that this process holds, and no other can open. */
export class DuckdbDatabase {
  readonly folder: string
  #instance: Promise<DuckDBInstance> | null = null
  /** Transactions that write run one after the other. */
  #writing: Promise<unknown> = Promise.resolve()

  private constructor(folder: string) {
    this.folder = resolve(folder)
  }

  /**
   * Opens the file in a folder, or creates both.
   * @throws PermanentError without the package for this platform, or if another process has opened the file
   */
  static async open(folder: string): Promise<DuckdbDatabase> {
    const database = new DuckdbDatabase(folder)
    makeFolder(database.folder)
    await database.write(async (connection) => {
      for (const [head, body] of MACROS) await connection.run(`CREATE OR REPLACE MACRO ${head} AS ${body}`)
    })
    return database
  }

  /**
   * Rows of a query as strings. Select only numbers, hex and arrays of numbers, never NULL.
   * @throws RetryableError or PermanentError, as for any use
   */
  rows(sql: string, signal: AbortSignal): Promise<readonly (readonly string[])[]> {
    return this.#use(signal, async (connection) => {
      // One text for each row: a value for each column would have to be made in JavaScript.
      const result = await connection.run(`SELECT concat_ws(chr(9), *COLUMNS(*)) FROM (${sql})`)
      const rows: string[][] = []
      for (;;) {
        const chunk = await result.fetchChunk()
        if (!chunk || chunk.rowCount === 0) return rows
        for (const text of chunk.getColumnValues(0)) rows.push(String(text).split('\t'))
        signal.throwIfAborted()
      }
    })
  }

  /** Runs a transaction; returns when its rows are on disk. It may run again after a conflict. */
  write(work: (connection: DuckDBConnection) => Promise<void>, signal?: AbortSignal): Promise<void> {
    const written = this.#writing.then(async () => {
      for (let left = MAX_TRIES; ; left--) {
        try {
          return await this.#use(signal, (connection) => inTransaction(connection, work))
        } catch (error) {
          if (left <= 1 || !isConflict(error)) throw error
          await wait(CONFLICT_MS, undefined, { signal })
        }
      }
    })
    this.#writing = written.catch(() => {})
    return written
  }

  async close(): Promise<void> {
    await this.#writing
    const instance = await this.#instance?.catch(() => null)
    instance?.closeSync()
    this.#instance = null
  }

  async #use<Result>(
    signal: AbortSignal | undefined,
    work: (connection: DuckDBConnection) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted()
    this.#instance ??= openInstance(this.folder)
    const opening = this.#instance
    let connection: DuckDBConnection | undefined
    try {
      const own = await (await opening).connect()
      connection = own
      return await interruptible(own, signal, () => work(own))
    } catch (error) {
      if (connection === undefined || isInvalidated(error)) await this.#reopenLater(opening)
      throw toDuckdbFailure(error, this.folder)
    } finally {
      connection?.closeSync()
    }
  }

  /** After a fatal error, such as a full disk, nothing works until the file is opened again. */
  async #reopenLater(broken: Promise<DuckDBInstance>): Promise<void> {
    if (this.#instance !== broken) return
    this.#instance = null
    const instance = await broken.catch(() => null)
    instance?.closeSync()
  }
}

async function openInstance(folder: string): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await loadDuckdb()
  // From a cache of the process: several ledgers in one folder share the file.
  return DuckDBInstance.fromCache(join(folder, FILE), {
    memory_limit: MEMORY_LIMIT,
    temp_directory: join(folder, 'spill'),
    // Statements of the ledger read and write nothing else, and download nothing.
    enable_external_access: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
}

/** @throws PermanentError where its library for this platform is not installed */
export async function loadDuckdb(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api')
  } catch (error) {
    throw new PermanentError(
      'the ledger needs the library of @duckdb/node-api for this platform, which is not installed; ' +
        'run npm ci again, or set TOLLBOOK_LEDGER_URL to a ClickHouse server',
      { cause: error },
    )
  }
}

async function inTransaction(
  connection: DuckDBConnection,
  work: (connection: DuckDBConnection) => Promise<void>,
): Promise<void> {
  await connection.run('BEGIN')
  try {
    await work(connection)
    await connection.run('COMMIT')
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {})
    throw error
  }
}
