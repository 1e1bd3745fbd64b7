import {
  findMissingMigrations as findMissingOf,
  migrateState as migrateStateBy,
} from '../../state/migrate.ts'
import type { Migration } from '../../state/migration.ts'
import { MIGRATIONS } from './migrations.ts'
import type { State } from './state.ts'

/** Brings the tables of all parts up to date. As `migrateState` of `src/state/migrate.ts`. */
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
