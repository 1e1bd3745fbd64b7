import { openState as openStateOf } from '@tollbook/store/open'
import type { State } from './state.ts'
import type { Tables } from './tables.ts'

/** Opens the state store; its tables are made by `migrateState`. As `openState` of `packages/store/src/open.ts`. */
export function openState(url: string): Promise<State> {
  return openStateOf<Tables>(url)
}
