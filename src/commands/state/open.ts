import { openState as openStateOf } from '../../state/open.ts'
import type { State } from './state.ts'
import type { Tables } from './tables.ts'

/** Opens the state store; its tables are made by `migrateState`. As `openState` of `src/state/open.ts`. */
export function openState(url: string): Promise<State> {
  return openStateOf<Tables>(url)
}
