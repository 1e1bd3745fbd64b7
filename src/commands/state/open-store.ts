import type { Config } from '../../runtime/config.ts'
import type { Shutdown } from '../../runtime/process/shutdown.ts'
import {
  openCommandState as openCommandStateOf,
  openStore as openStoreOf,
} from '../../runtime/state/store.ts'
import { MIGRATIONS } from './migrations.ts'
import type { State } from './state.ts'
import type { Tables } from './tables.ts'

/** Opens the state with the tables of all parts. As `openStore` of `src/runtime/state/store.ts`. */
export function openStore(config: Config, shutdown: Shutdown): Promise<State> {
  return openStoreOf<Tables>(config, shutdown, MIGRATIONS)
}

/** As `openCommandState` of `src/runtime/state/store.ts`, with the tables of all parts. */
export function openCommandState(config: Config): Promise<State> {
  return openCommandStateOf<Tables>(config, MIGRATIONS)
}
