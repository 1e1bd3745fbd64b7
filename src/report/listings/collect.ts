import type { Logger } from 'pino'
import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import type { State } from '../../state/state.ts'
import { readDiscovery } from './discovery.ts'
import { noteFailure, replaceListings } from './stored-listings.ts'

export type Collection = {
  readonly state: State
  /** Base URLs whose `/discovery/resources` are read. */
  readonly sources: readonly string[]
  /** Own services on this machine need one that allows the private network. */
  readonly fetch: SafeFetch
  readonly logger: Logger
  readonly now: () => Date
  readonly signal: AbortSignal
}

/**
 * Reads every source and stores what it offers. A source that fails keeps its last listings, and does not
 * keep the others from being read.
 * @returns how many listings each source that could be read gave.
 */
export async function collectListings(collection: Collection): Promise<ReadonlyMap<string, number>> {
  const { state, fetch, logger, now, signal } = collection
  const counts = new Map<string, number>()
  for (const source of collection.sources) {
    const readAt = now()
    try {
      const listings = await readDiscovery({ source, fetch, readAt, signal })
      await replaceListings(state, source, { listings, readAt })
      counts.set(source, listings.length)
    } catch (error) {
      signal.throwIfAborted()
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown'
      logger.warn({ source, reason }, 'listings could not be read; the last ones stay')
      await noteFailure(state, source, { reason, at: now() })
    }
  }
  return counts
}
