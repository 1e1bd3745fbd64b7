import { setImmediate as nextTurn } from 'node:timers/promises'

/** Chosen: everyone else waits so long at most, and a turn of the loop costs some microseconds. */
const MAX_TURN_MS = 8

/** Divides long work into short turns of the event loop. */
export type Pace = {
  /** Lets the loop serve others where this turn has lasted long enough, else does nothing. */
  rest(): Promise<void> | undefined
}

/** Begins a turn now. */
export function createPace(maxTurnMs: number = MAX_TURN_MS): Pace {
  let startedMs = performance.now()
  async function wait(): Promise<void> {
    await nextTurn()
    startedMs = performance.now()
  }
  return { rest: () => (performance.now() - startedMs < maxTurnMs ? undefined : wait()) }
}
