import { setImmediate as nextTurn } from 'node:timers/promises'

/** Chosen: the maximum delay for everyone else; a turn of the loop costs a few microseconds. */
const MAX_TURN_MS = 8

/** Divides long work into short turns of the event loop. */
export type Pace = {
  /** Yields to the event loop if this turn has lasted long enough, otherwise does nothing. */
  rest(): Promise<void> | undefined
}

/** Starts a new turn now. */
export function createPace(maxTurnMs: number = MAX_TURN_MS): Pace {
  let startedMs = performance.now()
  async function wait(): Promise<void> {
    await nextTurn()
    startedMs = performance.now()
  }
  return { rest: () => (performance.now() - startedMs < maxTurnMs ? undefined : wait()) }
}
