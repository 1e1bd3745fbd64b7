import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { startClickhouse, whyNoClickhouse } from '@tollbook/testing/ledger/clickhouse'
import { makeStateTemplate } from '@tollbook/testing/state/open-test-state'
import { startOwnServer, whyNoPostgres } from '@tollbook/testing/state/postgres'

/** Ignored by git, and gone with the packages. */
const COMPILED = join(import.meta.dirname, '../node_modules/.cache/node-compile')

let templateFolder: string | undefined

/** Starts one PostgreSQL and one ClickHouse cluster for all test files of a run; a file alone starts its own. */
export async function globalSetup(): Promise<void> {
  // Every file is a process, and every killed seller another: they need not compile the same modules each time.
  process.env.NODE_COMPILE_CACHE ??= COMPILED
  const template = await makeStateTemplate()
  templateFolder = template.folder
  process.env.TOLLBOOK_TEST_SQLITE_TEMPLATE = template.file
  if (!process.env.TOLLBOOK_TEST_POSTGRES_URL && whyNoPostgres() === null)
    process.env.TOLLBOOK_TEST_POSTGRES_URL = await startOwnServer()
  const noClickhouse = whyNoClickhouse()
  if (noClickhouse === null) process.env.TOLLBOOK_TEST_CLICKHOUSE_URL = await startClickhouse()
  else process.stderr.write(`the tests of ClickHouse clusters are skipped: ${noClickhouse}\n`)
}

export function globalTeardown(): void {
  if (templateFolder) rmSync(templateFolder, { recursive: true, force: true })
}
