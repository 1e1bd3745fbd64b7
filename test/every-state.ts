import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { migrateState } from '../src/state/migrate.ts'
import { openState } from '../src/state/open.ts'
import type { State } from '../src/state/state.ts'
import { startPostgres, type TestPostgres, whyNoPostgres } from './postgres.ts'

let postgres: Promise<TestPostgres> | undefined

/**
 * Runs a test twice: on a fresh SQLite file and on a fresh PostgreSQL database, both with all tables.
 * @example
 * onEveryState('a row is found again', async (state) => { ... })
 */
export function onEveryState(name: string, work: (state: State, t: TestContext) => Promise<void>): void {
  onEveryStateUrl(name, async (url, t) => {
    const state = await openState(url)
    try {
      await migrateState(state)
      await work(state, t)
    } finally {
      await state.close()
    }
  })
}

/** The same with the URL of a fresh, empty database, for tests that open it themselves or in other processes. */
export function onEveryStateUrl(name: string, work: (url: string, t: TestContext) => Promise<void>): void {
  test(`${name} (sqlite)`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollbook-state-'))
    try {
      await work(`sqlite:${join(folder, `${randomUUID()}.sqlite`)}`, t)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
  test(`${name} (postgres)`, { skip: whyNoPostgres() ?? false }, async (t) => {
    postgres ??= startPostgres()
    const { createDatabase, dropDatabase } = await postgres
    const url = await createDatabase()
    try {
      await work(url, t)
    } finally {
      await dropDatabase(url)
    }
  })
}
