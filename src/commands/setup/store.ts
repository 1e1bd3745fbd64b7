import type { Config } from '../../config.ts'
import { migrateState } from '../../state/migrate.ts'
import { openState } from '../../state/open.ts'
import type { State } from '../../state/state.ts'
import type { Shutdown } from './shutdown.ts'
import { stateUrlOf } from './state-url.ts'

/** Opens the state with all its tables; it is closed with all other resources. */
export async function openStore(config: Config, shutdown: Shutdown): Promise<State> {
  const state = await openState(stateUrlOf(config))
  shutdown.onClose(() => state.close())
  await migrateState(state)
  return state
}
