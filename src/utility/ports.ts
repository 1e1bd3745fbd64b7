import type { State } from '../state/state.ts'

/** What the handlers of the utility service reach the world through. */
export type UtilityPorts = {
  readonly state: State
  readonly clock: () => Date
}
