import type { Config } from '@tollbook/runtime/config'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import {
  openCommandState as openCommandStateOf,
  openStore as openStoreOf,
} from '@tollbook/runtime/state/store'
import { findMigrations } from './migrations/find-migrations.ts'
import type { State } from './state/state.ts'
import type { Tables } from './state/tables.ts'

/** Opens the state with the tables of all installed parts. As `openStore` of `packages/runtime/src/state/store.ts`. */
export async function openStore(config: Config, shutdown: Shutdown): Promise<State> {
  return openStoreOf<Tables>(config, shutdown, await findMigrations())
}

/** As `openCommandState` of `packages/runtime/src/state/store.ts`, with the tables of all installed parts. */
export async function openCommandState(config: Config): Promise<State> {
  return openCommandStateOf<Tables>(config, await findMigrations())
}
