import {
  findMissingMigrations as findMissingOf,
  migrateState as migrateStateBy,
} from '@tollbook/store/migrate'
import type { Migration } from '@tollbook/store/migration'
import type { State } from '../state/state.ts'
import { findMigrations } from './find-migrations.ts'

/** Brings the tables of all installed parts up to date. As `migrateState` of `packages/store/src/migrate.ts`. */
export async function migrateState(
  state: State,
  migrations?: readonly Migration[],
): Promise<readonly string[]> {
  return migrateStateBy(state, migrations ?? (await findMigrations()))
}

/** Names of the migrations that `migrateState` would apply; changes nothing. */
export async function findMissingMigrations(state: State): Promise<readonly string[]> {
  return findMissingOf(state, await findMigrations())
}
