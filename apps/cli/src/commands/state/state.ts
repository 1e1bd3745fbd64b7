import type { State as StateOf } from '@tollbook/store/state'
import type { Tables } from './tables.ts'

/** The state store with the tables of all parts. */
export type State = StateOf<Tables>
