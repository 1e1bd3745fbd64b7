import { type Kysely, sql } from 'kysely'
import { MIGRATIONS } from './migrations/list.ts'
import type { Migration } from './migrations/migration.ts'
import type { State } from './state.ts'

/** An advisory lock key that no other program on the same server should use: 'toll' in ASCII. */
const LOCK_KEY = 0x746f6c6c

type MigrationTables = {
  readonly migration: { readonly name: string; readonly applied_at: number; readonly is_compatible: number }
}

/**
 * Brings the tables up to date, all or nothing; idempotent, and one process at a time.
 * @returns the names of the applied migrations.
 * @throws Error if a newer version has changed the store so that this one must not write to it.
 */
export async function migrateState(
  state: State,
  migrations: readonly Migration[] = MIGRATIONS,
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
    await addCompatibility(transaction)
    const rows = await transaction.selectFrom('migration').select(['name', 'is_compatible']).execute()
    const applied = new Set(rows.map((row) => row.name))
    const known = new Set(migrations.map((migration) => migration.name))
    const unknown = rows.filter((row) => !known.has(row.name) && row.is_compatible === 0)
    if (unknown.length > 0)
      throw new Error(
        `a newer version has changed the state; unknown migrations: ${unknown.map(({ name }) => name).join(', ')}`,
      )
    const missing = migrations.filter(({ name }) => !applied.has(name))
    for (const migration of missing) {
      await migration.up(transaction as unknown as Kysely<unknown>, state.kind)
      const { name, isCompatible = false } = migration
      const row = { name, applied_at: Date.now(), is_compatible: Number(isCompatible) }
      await transaction.insertInto('migration').values(row).execute()
    }
    return missing.map(({ name }) => name)
  })
}

/** The table of migrations is older than this column. */
async function addCompatibility(db: Kysely<MigrationTables>): Promise<void> {
  const tables = await db.introspection.getTables()
  const columns = tables.find(({ name }) => name === 'migration')?.columns ?? []
  if (columns.some(({ name }) => name === 'is_compatible')) return
  await db.schema
    .alterTable('migration')
    .addColumn('is_compatible', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
}

/** Names of the migrations that `migrateState` would apply; changes nothing. @throws the database's own error. */
export async function findMissingMigrations(state: State): Promise<readonly string[]> {
  const db = state.db as unknown as Kysely<MigrationTables>
  const tables = await db.introspection.getTables()
  const rows = tables.some(({ name }) => name === 'migration')
    ? await db.selectFrom('migration').select('name').execute()
    : []
  const applied = new Set(rows.map((row) => row.name))
  return MIGRATIONS.map(({ name }) => name).filter((name) => !applied.has(name))
}
