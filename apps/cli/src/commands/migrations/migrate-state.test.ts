import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Migration } from '@tollbook/store/migration'
import { onEveryState, onEveryStateUrl } from '@tollbook/testing/state/every-state'
import { sql } from 'kysely'
import { openState } from '../state/open.ts'
import { findMigrations } from './find-migrations.ts'
import { findMissingMigrations, migrateState } from './migrate-state.ts'

const MIGRATIONS = await findMigrations()

onEveryState('migrating again changes nothing', async (state) => {
  await migrateState(state)
  const applied = await sql<{ name: string }>`select name from migration order by name`.execute(state.db)
  assert.deepEqual(
    applied.rows.map((row) => row.name),
    MIGRATIONS.map((migration) => migration.name),
  )
})

onEveryStateUrl('many who migrate a fresh database at once all succeed', async (url) => {
  const states = await Promise.all([1, 2, 3, 4].map(() => openState(url)))
  try {
    await Promise.all(states.map((state) => migrateState(state)))
    for (const state of states)
      assert.deepEqual(await state.db.selectFrom('social_user').selectAll().execute(), [])
  } finally {
    await Promise.all(states.map((state) => state.close()))
  }
})

onEveryState('a migration that fails leaves nothing behind', async (state) => {
  const broken: Migration = {
    name: '9999-broken',
    up: async (db) => {
      await db.schema.createTable('half').addColumn('a', 'bigint').execute()
      throw new Error('broken on purpose')
    },
  }
  await assert.rejects(migrateState(state, [...MIGRATIONS, broken]), /broken on purpose/)
  await assert.rejects(sql`select * from half`.execute(state.db))
  await migrateState(state)
})

onEveryStateUrl('a store that is older than release 1.0.0 is rejected', async (url) => {
  const state = await openState(url)
  try {
    await sql`create table migration (name text primary key, applied_at bigint not null)`.execute(state.db)
    await sql`insert into migration values ('0001-payments', 0), ('0055-sales', 0)`.execute(state.db)
    const refusal =
      'the state is older than release 1.0.0 (its last migration is 0055-sales): back it up, ' +
      'start it once with Tollbook 1.0.0, which upgrades it, then start this version'
    await assert.rejects(migrateState(state), { message: refusal })
    await assert.rejects(findMissingMigrations(state), { message: refusal })
  } finally {
    await state.close()
  }
})

const removal: Migration = { name: '9999-removal', up: async () => {} }

onEveryStateUrl('a store created by a newer version is rejected', async (url) => {
  const state = await openState(url)
  try {
    await migrateState(state, [...MIGRATIONS, removal])
    await assert.rejects(
      migrateState(state),
      /newer version has changed the state; unknown migrations: 9999-removal$/,
    )
  } finally {
    await state.close()
  }
})

const addition: Migration = {
  name: '9998-addition',
  isCompatible: true,
  up: async (db) => {
    await db.schema.alterTable('wallet').addColumn('colour', 'text').execute()
  },
}

onEveryStateUrl('an older process starts and writes after a compatible migration', async (url) => {
  const newer = await openState(url)
  const older = await openState(url)
  try {
    await migrateState(older)
    assert.deepEqual(await migrateState(newer, [...MIGRATIONS, addition]), ['9998-addition'])
    assert.deepEqual(await migrateState(older), [])
    // One that is not known to be compatible, after it.
    await migrateState(newer, [...MIGRATIONS, addition, removal])
    await assert.rejects(migrateState(older), /unknown migrations: 9999-removal$/)
  } finally {
    await Promise.all([older.close(), newer.close()])
  }
})

test('a migration that removes, renames or tightens is not marked as compatible', () => {
  for (const { name, isCompatible, up } of MIGRATIONS)
    if (isCompatible) assert.equal(findBreak(`isCompatible ${up}`), null, name)
  const breaking = "isCompatible: true, up: (db) => db.schema.alterTable('a').dropColumn('b')"
  assert.equal(findBreak(breaking), 'dropColumn(')
  assert.equal(findBreak(breaking.replace('isCompatible: true, ', '')), null)
})

/** What a migration that is marked as compatible does to the data of older processes; null if it does nothing. */
function findBreak(source: string): string | null {
  if (!source.includes('isCompatible')) return null
  const breaks =
    /\bdrop(?:Table|Column|Index|Constraint)\(|\brename(?:To|Column)\(|\balterColumn\(|delete from/i
  return breaks.exec(source)?.[0] ?? null
}

onEveryStateUrl('a state with the tables of all parts opens where fewer parts are installed', async (url) => {
  const state = await openState(url)
  try {
    await migrateState(state)
    const fewer = MIGRATIONS.filter(({ name }) => !name.endsWith('-social'))
    assert.deepEqual(await migrateState(state, fewer), [])
    assert.deepEqual(await migrateState(state), [])
  } finally {
    await state.close()
  }
})
