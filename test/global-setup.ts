import { startOwnServer, whyNoPostgres } from './postgres.ts'

/** Starts one PostgreSQL for all test files of a run; a file that runs by itself starts its own. */
export async function globalSetup(): Promise<void> {
  if (process.env.TOLLBOOK_TEST_POSTGRES_URL || whyNoPostgres() !== null) return
  process.env.TOLLBOOK_TEST_POSTGRES_URL = await startOwnServer()
}
