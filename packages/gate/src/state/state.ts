import type { State as StateOf } from '@tollbook/store/state'
import type { Tables } from './tables.ts'

/** The state store with the tables of payments. */
export type State = StateOf<Tables>
