import {
  findMissingMigrations as findMissingOf,
  migrateState as migrateStateBy,
} from '@tollbook/store/migrate'
import type { Migration } from '@tollbook/store/migration'
import { MIGRATIONS } from './migrations.ts'
import type { State } from './state.ts'

/** Brings the tables of all parts up to date. As `migrateState` of `packages/store/src/migrate.ts`. */
export function migrateState(
  state: State,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  return migrateStateBy(state, migrations)
}

/** Names of the migrations that `migrateState` would apply; changes nothing. */
export function findMissingMigrations(state: State): Promise<readonly string[]> {
  return findMissingOf(state, MIGRATIONS)
}
