import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'

/** A state with the tables of all parts. */
export type TestState = State

/** Opens the state at a URL with the tables of all parts; those that are missing are made. */
export async function openStateAt(url: string): Promise<TestState> {
  const state = await openState(url)
  await migrateState(state)
  return state
}
