import type { Config } from '../runtime/config.ts'
import type { Shutdown } from '../runtime/process/shutdown.ts'
import { openCommandState as openCommandStateOf, openStore as openStoreOf } from '../runtime/state/store.ts'
import { findMigrations } from './find-migrations.ts'
import type { State } from './state/state.ts'
import type { Tables } from './state/tables.ts'

/** Opens the state with the tables of all installed parts. As `openStore` of `src/runtime/state/store.ts`. */
export async function openStore(config: Config, shutdown: Shutdown): Promise<State> {
  return openStoreOf<Tables>(config, shutdown, await findMigrations())
}

/** As `openCommandState` of `src/runtime/state/store.ts`, with the tables of all installed parts. */
export async function openCommandState(config: Config): Promise<State> {
  return openCommandStateOf<Tables>(config, await findMigrations())
}
