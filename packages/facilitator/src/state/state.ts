import type { State as StateOf } from '@tollbook/store/state'
import type { Tables } from './tables.ts'

/** The state store with the tables of the facilitator service. */
export type State = StateOf<Tables>
