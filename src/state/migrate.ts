import { type Kysely, sql } from 'kysely'
import { MIGRATIONS } from './migrations/list.ts'
import type { Migration } from './migrations/migration.ts'
import type { State } from './state.ts'

/** An advisory lock key that no other program on the same server should use: 'toll' in ASCII. */
const LOCK_KEY = 0x746f6c6c

type MigrationTables = { readonly migration: { readonly name: string; readonly applied_at: number } }

/**
 * Brings the tables up to date, all or nothing; idempotent. Processes that start together wait for each
 * other.
 * @returns the names of the applied migrations.
 * @throws Error if the store was created by a newer version, so that an older one never writes to it.
 */
export async function migrateState(
  state: State,
  migrations: readonly Migration[] = MIGRATIONS,
  now: () => Date = () => new Date(),
): Promise<readonly string[]> {
  // Migrations use the tables as they were, not as Tables describes them today.
  const db = state.db as unknown as Kysely<MigrationTables>
  return db.transaction().execute(async (transaction) => {
    // On SQLite a transaction holds the write lock from its start.
    if (state.kind === 'postgres') await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(transaction)
    await transaction.schema
      .createTable('migration')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute()
    const rows = await transaction.selectFrom('migration').select('name').execute()
    const applied = new Set(rows.map((row) => row.name))
    const known = new Set(migrations.map((migration) => migration.name))
    const unknown = [...applied].filter((name) => !known.has(name))
    if (unknown.length > 0)
      throw new Error(`the state was created by a newer version; unknown migrations: ${unknown.join(', ')}`)
    const missing = migrations.filter(({ name }) => !applied.has(name))
    for (const migration of missing) {
      await migration.up(transaction as unknown as Kysely<unknown>, state.kind)
      const row = { name: migration.name, applied_at: now().getTime() }
      await transaction.insertInto('migration').values(row).execute()
    }
    return missing.map(({ name }) => name)
  })
}

/** Names of the migrations that `migrateState` would apply; changes nothing. @throws the database's own error. */
export async function findMissingMigrations(
  state: State,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  const db = state.db as unknown as Kysely<MigrationTables>
  const tables = await db.introspection.getTables()
  const rows = tables.some(({ name }) => name === 'migration')
    ? await db.selectFrom('migration').select('name').execute()
    : []
  const applied = new Set(rows.map((row) => row.name))
  return migrations.map(({ name }) => name).filter((name) => !applied.has(name))
}
