import { join } from 'node:path'
import { startClickhouse, whyNoClickhouse } from './clickhouse.ts'
import { startOwnServer, whyNoPostgres } from './postgres.ts'

/** Ignored by git, and gone with the packages. */
const COMPILED = join(import.meta.dirname, '../node_modules/.cache/node-compile')

/** Starts one PostgreSQL and one ClickHouse cluster for all test files of a run; a file alone starts its own. */
export async function globalSetup(): Promise<void> {
  // Every file is a process, and every killed seller another: they need not compile the same modules each time.
  process.env.NODE_COMPILE_CACHE ??= COMPILED
  if (!process.env.TOLLBOOK_TEST_POSTGRES_URL && whyNoPostgres() === null)
    process.env.TOLLBOOK_TEST_POSTGRES_URL = await startOwnServer()
  const noClickhouse = whyNoClickhouse()
  if (noClickhouse === null) process.env.TOLLBOOK_TEST_CLICKHOUSE_URL = await startClickhouse()
  else process.stderr.write(`the tests of ClickHouse clusters are skipped: ${noClickhouse}\n`)
}
