import type { State } from '../state/state.ts'
import { deleteExpiredPads } from './scratchpad/delete-pad.ts'
import { deleteExpiredCollections } from './store/delete-collection.ts'

/**
 * Deletes expired data of wallets that no longer call, to free disk space; it is already invisible.
 * @returns the number of wallets that had any.
 */
export async function sweepWallets(state: State, now: Date, signal: AbortSignal): Promise<number> {
  const collections = await deleteExpiredCollections(state, now, signal)
  const pads = await deleteExpiredPads(state, now, signal)
  return new Set([...collections, ...pads]).size
}
