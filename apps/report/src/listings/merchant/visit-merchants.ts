import { BlockedTarget } from '@tollbook/flow/failure'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type { Logger } from 'pino'
import type { State } from '../../state/state.ts'
import { recordUnreachable } from '../endpoint-health.ts'
import { RestingHost } from './host-reader.ts'
import { dueOrigins, noteFailedVisit, noteVisit } from './merchant-hosts.ts'
import { visitMerchant } from './visit-merchant.ts'

export type MerchantVisits = {
  readonly state: State
  /** The edition of reports whose paid merchants are visited. */
  readonly edition: string
  /** Base URLs of the operator's own services, which are not visited. */
  readonly ownSources: readonly string[]
  readonly fetch: SafeFetch
  /** Whether hosts of the private network are visited, too; default false. */
  readonly mayBePrivate?: boolean
  /** Between two requests to one host, ms; default one second. */
  readonly pauseMs?: number
  /** Whether the health of listed endpoints is checked; default true. */
  readonly checksHealth?: boolean
  /** From 0 up to 1: how much of the longest delay is added to the next visit; default random. */
  readonly jitter?: () => number
  readonly logger: Logger
  readonly now: () => Date
  readonly signal: AbortSignal
}

const PAUSE_MS = 1000
/** One run visits this many hosts, this many at once. */
const MAX_HOSTS = 25
const HOSTS_AT_ONCE = 4
/** With a second between requests, half a minute per host. */
const MAX_REQUESTS = 20
/** Chosen: two weeks, when all unseen listings are deleted anyway. */
const RETAIN_MISSING_MS = 14 * 24 * 3_600_000
/** A host that failed once may be restarting. */
const MIN_FAILURES = 2
const WEEK_MS = 7 * 24 * 3_600_000

/** Visits the hosts that are due, rate-limited. @returns how many hosts could be visited. */
export async function visitMerchants(visits: MerchantVisits): Promise<number> {
  const { state, edition, logger, now, signal } = visits
  const except = new Set(visits.ownSources.flatMap((source) => URL.parse(source)?.origin ?? []))
  const mayBePrivate = visits.mayBePrivate ?? false
  const origins = await dueOrigins(state, { edition, except, mayBePrivate, at: now(), max: MAX_HOSTS })
  if (origins.length === 0) return 0
  const waiting = origins.values()
  let visited = 0
  const work = async () => {
    for (const origin of waiting) {
      signal.throwIfAborted()
      if (await visitOne(visits, origin)) visited += 1
    }
  }
  await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, work))
  logger.info({ hosts: origins.length, visited }, 'visited merchants for their own listings')
  return visited
}

async function visitOne(visits: MerchantVisits, origin: string): Promise<boolean> {
  const { state, fetch, pauseMs = PAUSE_MS, checksHealth = true, logger, now, signal } = visits
  const readAt = now()
  try {
    const { isComplete } = await visitMerchant({
      state,
      origin,
      fetch,
      pauseMs,
      checksHealth,
      readAt,
      signal,
      maxRequests: MAX_REQUESTS,
      retainMissingMs: RETAIN_MISSING_MS,
    })
    await noteVisit(state, origin, { at: now(), isComplete, jitter: (visits.jitter ?? Math.random)() })
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Error)) throw error
    const reason = `${error.name}: ${error.message}`
    logger.debug({ origin, reason }, 'cannot visit a merchant; keeping its last listings')
    const failures = await noteFailedVisit(state, origin, { at: now(), restMs: toRestMs(error) })
    const isDown = !(error instanceof RestingHost || error instanceof BlockedTarget)
    if (checksHealth && isDown && failures >= MIN_FAILURES) await recordUnreachable(state, origin, now())
    return false
  }
}

function toRestMs(error: Error): number {
  if (error instanceof RestingHost) return error.retryAfterMs
  return error instanceof BlockedTarget ? WEEK_MS : 0
}
