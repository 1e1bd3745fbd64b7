import { isPublicHost } from '@tollbook/safe-fetch/public-host'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type { Logger } from 'pino'
import type { State } from '../state/state.ts'
import { readDiscovery } from './discovery.ts'
import type { Listing } from './listing.ts'
import { noteFailure, replaceListings } from './stored-listings.ts'

export type SourcePolicy = {
  /** A source that was read less than this long ago is skipped, ms. */
  readonly refreshMs: number
  /** A source that failed less than this long ago is skipped, ms. */
  readonly retryMs: number
  /** Timeout for one source in total, ms. */
  readonly timeoutMs: number
  /** How long a listing that the source no longer shows is retained, ms. */
  readonly retainMissingMs: number
  /** Whether endpoints on private hosts, which nobody else can call, count as listings. */
  readonly mayListPrivateHosts: boolean
}

const HOUR_MS = 3_600_000

/** The operator's own services list their offers exactly, on every request. */
const OWN_SERVICES: SourcePolicy = {
  refreshMs: 0,
  retryMs: 0,
  timeoutMs: 60_000,
  retainMissingMs: 0,
  mayListPrivateHosts: true,
}

/** Pages of public catalogues shift while they are read: only what no reading of a week shows is gone. */
export const CATALOGUES: SourcePolicy = {
  refreshMs: HOUR_MS,
  retryMs: HOUR_MS / 6,
  timeoutMs: 300_000,
  retainMissingMs: 7 * 24 * HOUR_MS,
  mayListPrivateHosts: false,
}

export type Collection = {
  readonly state: State
  /** Base URLs whose `/discovery/resources` are read. */
  readonly sources: readonly string[]
  /** How they are read; default: as the operator's own services. */
  readonly policy?: SourcePolicy
  /** Own services on this machine need a fetch that allows the private network. */
  readonly fetch: SafeFetch
  readonly logger: Logger
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** Reads every source that is due; a failing one keeps its listings. @returns how many each returned. */
export async function collectListings(collection: Collection): Promise<ReadonlyMap<string, number>> {
  const { state, logger, now, signal } = collection
  const counts = new Map<string, number>()
  for (const source of collection.sources) {
    const readAt = now()
    if (!(await isDue(collection, source, readAt))) continue
    try {
      const listings = await readSource(collection, source, readAt)
      const { retainMissingMs } = collection.policy ?? OWN_SERVICES
      await replaceListings(state, source, { listings, readAt, retainMissingMs })
      counts.set(source, listings.length)
      const tookMs = now().getTime() - readAt.getTime()
      // Own services are read on each publication, catalogues once an hour.
      const level = collection.policy ? 'info' : 'debug'
      logger[level]({ source, listings: listings.length, tookMs }, 'read listings')
    } catch (error) {
      signal.throwIfAborted()
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown'
      logger.warn({ source, reason }, 'cannot read listings; keeping the last ones')
      await noteFailure(state, source, { reason, at: now() })
    }
  }
  return counts
}

async function isDue(
  { state, policy = OWN_SERVICES }: Collection,
  source: string,
  at: Date,
): Promise<boolean> {
  if (policy.refreshMs === 0) return true
  const row = await state.db
    .selectFrom('report_listing_sources')
    .select(['collected_at', 'failed_at'])
    .where('source', '=', source)
    .executeTakeFirst()
  const hasPassed = (since: number | null | undefined, ms: number) => at.getTime() - (since ?? 0) >= ms
  return hasPassed(row?.collected_at, policy.refreshMs) && hasPassed(row?.failed_at, policy.retryMs)
}

async function readSource(
  { fetch, policy = OWN_SERVICES, signal }: Collection,
  source: string,
  readAt: Date,
): Promise<readonly Listing[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(policy.timeoutMs)])
  const listings = await readDiscovery({ source, fetch, readAt, signal: inTime })
  if (policy.mayListPrivateHosts) return listings
  return listings.filter(({ resource }) => isPublicHost(new URL(resource).hostname))
}
