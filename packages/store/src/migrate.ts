import { type Kysely, sql } from 'kysely'
import type { Migration } from './migration.ts'
import type { AnyState } from './state.ts'

/** An advisory lock key that no other program on the same server should use: 'toll' in ASCII. */
const LOCK_KEY = 0x746f6c6c

/**
 * The last migration of release 1.0.0. Its migrations have numbers up to this one; the baselines, which have this
 * number, create the same tables at once.
 */
const LAST_OF_1_0_0 = '0058-expiring-calls'

type MigrationTables = {
  readonly migration: { readonly name: string; readonly applied_at: number; readonly is_compatible: number }
}

type Applied = MigrationTables['migration']

/**
 * Brings the tables up to date, all or nothing; idempotent, and one process at a time.
 * @returns the names of the applied migrations.
 * @throws Error if a newer version has changed the store so that this one must not write to it, or if the store is
 * older than release 1.0.0.
 */
export async function migrateState(
  state: AnyState,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  // Migrations use the tables as they were, not as their types describe them today.
  const db = state.db as unknown as Kysely<MigrationTables>
  return db.transaction().execute(async (transaction) => {
    // On SQLite a transaction holds the write lock from its start.
    if (state.kind === 'postgres') await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(transaction)
    await transaction.schema
      .createTable('migration')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .addColumn('is_compatible', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
    const applied = await transaction.selectFrom('migration').selectAll().execute()
    const missing = findMissing(applied, migrations)
    refuseNewer(applied, migrations)
    for (const migration of missing) {
      await migration.up(transaction as unknown as Kysely<unknown>, state.kind)
      const { name, isCompatible = false } = migration
      const row = { name, applied_at: Date.now(), is_compatible: Number(isCompatible) }
      await transaction.insertInto('migration').values(row).execute()
    }
    return missing.map(({ name }) => name)
  })
}

/**
 * Names of the migrations that `migrateState` would apply; changes nothing.
 * @throws Error if the store is older than release 1.0.0, or the database's own error.
 */
export async function findMissingMigrations(
  state: AnyState,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  const db = state.db as unknown as Kysely<MigrationTables>
  const tables = await db.introspection.getTables()
  const applied = tables.some(({ name }) => name === 'migration')
    ? await db.selectFrom('migration').selectAll().execute()
    : []
  return findMissing(applied, migrations).map(({ name }) => name)
}

/** In a store of 1.0.0, the tables of the baselines exist. */
function findMissing(applied: readonly Applied[], migrations: readonly Migration[]): readonly Migration[] {
  const names = new Set(applied.map(({ name }) => name))
  const missing = migrations.filter(({ name }) => !names.has(name))
  if (names.has(LAST_OF_1_0_0)) return missing.filter(({ name }) => !isUpTo1_0_0(name))
  // The baselines of parts that are not installed have the number of its last migration.
  const older = [...names].filter((name) => numberOf(name) < numberOf(LAST_OF_1_0_0)).sort()
  if (older.length === 0) return missing
  throw new Error(
    `the state is older than release 1.0.0 (its last migration is ${older.at(-1)}): back it up, ` +
      'start it once with Tollbook 1.0.0, which upgrades it, then start this version',
  )
}

function refuseNewer(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = applied.filter(
    ({ name, is_compatible }) => is_compatible === 0 && !known.has(name) && !isUpTo1_0_0(name),
  )
  if (unknown.length > 0)
    throw new Error(
      `a newer version has changed the state; unknown migrations: ${unknown.map(({ name }) => name).join(', ')}`,
    )
}

function isUpTo1_0_0(name: string): boolean {
  return numberOf(name) <= numberOf(LAST_OF_1_0_0)
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10)
}
