import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { loadDuckdb } from './duckdb-database.ts'
import { toDuckdbFailure } from './duckdb-failure.ts'
import { interruptible } from './interruptible.ts'

/** Sorts of more are spilled to disk. */
const MEMORY_LIMIT = '500MB'

/**
 * Runs a statement that reads files and writes files, such as `COPY`, without any ledger.
 * @throws PermanentError without the library of DuckDB, or if a file cannot be read or written
 */
export async function convertFiles(sql: string, signal: AbortSignal): Promise<void> {
  const { DuckDBInstance } = await loadDuckdb()
  const folder = await mkdtemp(join(tmpdir(), 'tollbook-convert-'))
  try {
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: MEMORY_LIMIT,
      temp_directory: folder,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
    const connection = await instance.connect()
    try {
      await interruptible(connection, signal, () => connection.run(sql))
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  } catch (error) {
    throw toDuckdbFailure(error, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A path as SQL. */
export function quotePath(path: string): string {
  return `'${resolve(path).replaceAll("'", "''")}'`
}
