import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { sql } from 'kysely'
import { openTestState } from './open-test-state.ts'
import { startPostgres, type TestPostgres, whyNoPostgres } from './postgres.ts'

let postgres: Promise<TestPostgres> | undefined

/** SQLite states of finished tests, emptied: opening one starts a thread. */
const spares: State[] = []
const closeSpares = () => Promise.all(spares.splice(0).map((state) => state.close()))

/**
 * Runs a test twice: on SQLite and on PostgreSQL, both with all tables and no rows.
 * @example
 * onEveryState('a row is found again', async (state) => { ... })
 */
export function onEveryState(name: string, work: (state: State, t: TestContext) => Promise<void>): void {
  onSqliteState(`${name} (sqlite)`, work)
  onPostgres(name, 'createState', (url, t) => withPostgresState(url, (state) => work(state, t)))
}

/** The same on SQLite alone: for tests of what does not depend on the kind of state. */
export function onSqliteState(name: string, work: (state: State, t: TestContext) => Promise<void>): void {
  test(name, (t) => withSqliteState((state) => work(state, t)))
  // Of the suite that the test is in.
  after(closeSpares)
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

/** A state whose test fails is not used again: its work may still go on. */
async function withSqliteState(work: (state: State) => Promise<void>): Promise<void> {
  const state = spares.pop() ?? (await openTestState())
  try {
    await work(state)
    await deleteRows(state)
  } catch (error) {
    await state.close()
    throw error
  }
  spares.push(state)
}

/** Deletes all rows but those of the applied migrations. */
async function deleteRows(state: State): Promise<void> {
  // The tables of a word index are not in the list; they are emptied through the index.
  const tables = sql<{ name: string; type: string }>`select name, type from pragma_table_list
    where schema = 'main' and type <> 'shadow' and name <> 'migration' and name not glob 'sqlite_*'`
  const { rows } = await tables.execute(state.db)
  await state.db.transaction().execute(async (transaction) => {
    await sql`pragma defer_foreign_keys = on`.execute(transaction)
    for (const { name, type } of rows)
      if (type === 'virtual')
        await sql`insert into ${sql.table(name)} (${sql.ref(name)}) values ('delete-all')`.execute(
          transaction,
        )
      else await sql`delete from ${sql.table(name)}`.execute(transaction)
  })
}

async function withPostgresState(url: string, work: (state: State) => Promise<void>): Promise<void> {
  const state = await openState(url)
  try {
    await work(state)
  } finally {
    await state.close()
  }
}
