import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { findMigrations } from '@tollbook/cli/commands/migrations/find-migrations'
import { findMissingMigrations, migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { startPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { readSchema } from './read-schema.ts'
import { restoreDump, type StateKind, unpackRelease } from './release-fixture.ts'

const RELEASE = '1.0.0'
const MIGRATIONS = await findMigrations()
const BASELINES = MIGRATIONS.filter(({ name }) => name.startsWith('0058-'))
const LATER = MIGRATIONS.slice(BASELINES.length)

for (const kind of ['sqlite', 'postgres'] as const) {
  const skip = kind === 'postgres' && (whyNoPostgres() ?? false)

  test(`a state of ${RELEASE} and a new one end with the same tables (${kind})`, { skip }, () =>
    withStates(kind, async (state, fresh) => {
      await migrateState(fresh, BASELINES)
      assert.deepEqual(await readSchema(state), await readSchema(fresh))
      assert.deepEqual(await findMissingMigrations(state), namesOf(LATER))
      assert.deepEqual(await migrateState(state), namesOf(LATER))
      assert.deepEqual(await migrateState(fresh), namesOf(LATER))
      assert.deepEqual(await readSchema(state), await readSchema(fresh))
    }),
  )

  test(`processes of ${RELEASE} survive what is marked as compatible (${kind})`, { skip }, () =>
    withStates(kind, async (state) => {
      for (const [at, { name, isCompatible = false }] of LATER.entries()) {
        const before = await readColumns(state)
        assert.deepEqual(await migrateState(state, [...BASELINES, ...LATER.slice(0, at + 1)]), [name])
        const broken = findBrokenTables(before, await readColumns(state))
        if (isCompatible) assert.deepEqual(broken, [], name)
      }
    }),
  )
}

const namesOf = (migrations: typeof MIGRATIONS) => migrations.map(({ name }) => name)

/** Opens the state of the release, and an empty database. */
async function withStates(kind: StateKind, work: (state: State, fresh: State) => Promise<void>) {
  const folder = temporaryFolder('release')
  unpackRelease(RELEASE, kind, folder)
  const postgres = kind === 'postgres' ? await startPostgres() : null
  const urls = postgres
    ? [await postgres.createDatabase(), await postgres.createDatabase()]
    : ['data/state.sqlite', 'fresh.sqlite'].map((file) => `sqlite:${join(folder, file)}`)
  const [url = '', freshUrl = ''] = urls
  if (postgres) await restoreDump(folder, url)
  const state = await openState(url)
  const fresh = await openState(freshUrl)
  try {
    await work(state, fresh)
  } finally {
    await Promise.all([state.close(), fresh.close()])
    for (const one of urls) await postgres?.dropDatabase(one)
  }
}

type Columns = ReadonlyMap<string, { readonly isRequired: boolean }>

async function readColumns({ db }: State): Promise<Columns> {
  const tables = await db.introspection.getTables()
  return new Map(
    tables.flatMap(({ name, columns }) =>
      columns.map((column) => {
        const isRequired = !(column.isNullable || column.hasDefaultValue || column.isAutoIncrementing)
        return [`${name}.${column.name}`, { isRequired }] as const
      }),
    ),
  )
}

/** Tables that lost a column, or demand one that older statements do not write. */
function findBrokenTables(before: Columns, after: Columns): readonly string[] {
  const toTable = (column: string) => column.slice(0, column.indexOf('.'))
  const tables = new Set([...before.keys()].map(toTable))
  const lost = [...before.keys()].filter((name) => !after.has(name))
  const demanded = [...after]
    .filter(([name, { isRequired }]) => isRequired && !before.has(name) && tables.has(toTable(name)))
    .map(([name]) => name)
  return [...new Set([...lost, ...demanded].map(toTable))]
}
