import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openState } from '../../src/state/open.ts'
import type { State } from '../../src/state/state.ts'
import { openTestState } from './open-test-state.ts'
import { startPostgres, type TestPostgres, whyNoPostgres } from './postgres.ts'

let postgres: Promise<TestPostgres> | undefined

/**
 * Runs a test twice: on a fresh SQLite file and on a fresh PostgreSQL database, both with all tables.
 * @example
 * onEveryState('a row is found again', async (state) => { ... })
 */
export function onEveryState(name: string, work: (state: State, t: TestContext) => Promise<void>): void {
  test(`${name} (sqlite)`, (t) => withState(openTestState(), (state) => work(state, t)))
  onPostgres(name, 'createState', (url, t) => withState(openState(url), (state) => work(state, t)))
}

/** The same on SQLite alone: for tests of what does not depend on the kind of state. */
export function onSqliteState(name: string, work: (state: State, t: TestContext) => Promise<void>): void {
  test(name, (t) => withState(openTestState(), (state) => work(state, t)))
}

/** The same with the URL of a fresh SQLite file, for tests that open it themselves or in other processes. */
export function onSqliteStateUrl(name: string, work: (url: string, t: TestContext) => Promise<void>): void {
  test(name, (t) => withSqliteUrl((url) => work(url, t)))
}

/** The same with the URL of a fresh, empty database of either kind. */
export function onEveryStateUrl(name: string, work: (url: string, t: TestContext) => Promise<void>): void {
  test(`${name} (sqlite)`, (t) => withSqliteUrl((url) => work(url, t)))
  onPostgres(name, 'createDatabase', work)
}

function onPostgres(
  name: string,
  create: 'createState' | 'createDatabase',
  work: (url: string, t: TestContext) => Promise<void>,
): void {
  test(`${name} (postgres)`, { skip: whyNoPostgres() ?? false }, async (t) => {
    postgres ??= startPostgres()
    const server = await postgres
    const url = await server[create]()
    try {
      await work(url, t)
    } finally {
      await server.dropDatabase(url)
    }
  })
}

async function withSqliteUrl(work: (url: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-state-'))
  try {
    await work(`sqlite:${join(folder, `${randomUUID()}.sqlite`)}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function withState(opening: Promise<State>, work: (state: State) => Promise<void>): Promise<void> {
  const state = await opening
  try {
    await work(state)
  } finally {
    await state.close()
  }
}
