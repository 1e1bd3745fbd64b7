import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { onEveryState, onEveryStateUrl } from '../../test/state/every-state.ts'
import { migrateState } from './migrate.ts'
import { MIGRATIONS } from './migrations/list.ts'
import type { Migration } from './migrations/migration.ts'
import { openState } from './open.ts'

onEveryState('migrating again changes nothing', async (state) => {
  await migrateState(state)
  const applied = await sql<{ name: string }>`select name from migration order by name`.execute(state.db)
  assert.deepEqual(
    applied.rows.map((row) => row.name),
    MIGRATIONS.map((migration) => migration.name).sort(),
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

onEveryState('a store created by a newer version is rejected', async (state) => {
  const older = MIGRATIONS.slice(0, -1)
  await assert.rejects(migrateState(state, older), /newer version; unknown migrations: \d{4}-/)
})
