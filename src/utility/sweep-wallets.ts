import type { State } from '../state/state.ts'
import { deleteExpiredPads } from './scratchpad/delete-pad.ts'
import { deleteExpiredCollections } from './store/delete-collection.ts'

/**
 * Deletes what has expired of wallets that no longer call, to free the disk; nobody sees it anyway.
 * @returns the number of wallets that had something.
 */
export async function sweepWallets(state: State, now: Date, signal: AbortSignal): Promise<number> {
  const collections = await deleteExpiredCollections(state, now, signal)
  const pads = await deleteExpiredPads(state, now, signal)
  return new Set([...collections, ...pads]).size
}
