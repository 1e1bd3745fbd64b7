import { migrateState } from '../../src/commands/state/migrate.ts'
import { openState } from '../../src/commands/state/open.ts'
import type { State } from '../../src/commands/state/state.ts'

/** A state with the tables of all parts. */
export type TestState = State

/** Opens the state at a URL with the tables of all parts; those that are missing are made. */
export async function openStateAt(url: string): Promise<TestState> {
  const state = await openState(url)
  await migrateState(state)
  return state
}
