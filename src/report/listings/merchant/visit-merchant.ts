import type { SafeFetch } from '../../../fetching/safe-fetch.ts'
import type { State } from '../../../state/state.ts'
import type { Listing } from '../listing.ts'
import { replaceListings } from '../stored-listings.ts'
import { fetchRequirements } from './fetch-requirements.ts'
import { openHost, RestingHost } from './host-reader.ts'
import { payeesListedElsewhere } from './merchant-hosts.ts'
import { readDocuments } from './read-documents.ts'
import type { Candidate } from './stated.ts'

export type Visit = {
  readonly state: State
  /** Scheme, host and port, as in `URL.origin`. */
  readonly origin: string
  readonly fetch: SafeFetch
  /** Between two requests to the host, ms. */
  readonly pauseMs: number
  /** Maximum number of resources that are queried for their 402 response. */
  readonly maxRequests: number
  /** How long listings are retained for a resource that could not be queried again, ms. */
  readonly retainMissingMs: number
  readonly readAt: Date
  readonly signal: AbortSignal
}

const MAX_FAILURES = 3

/**
 * Visits a host: reads its documents, then requests the resources in them and in the catalogues for their
 * PaymentRequirements, least recently queried first. Listings from 402 responses have the origin as their
 * source.
 * @returns whether everything could be queried in this visit.
 * @throws RestingHost; Unreachable and other errors of the fetch when the host cannot be reached at all.
 */
export async function visitMerchant(visit: Visit): Promise<{ readonly isComplete: boolean }> {
  const { state, origin, readAt, signal } = visit
  const payees = await payeesListedElsewhere(state, origin)
  const host = await openHost(visit)
  const documents = await readDocuments({ state, origin, host, payees, readAt, signal })
  const waiting = await orderByAge(visit, documents.candidates)
  const found: Listing[] = []
  const queried: string[] = []
  try {
    let failures = 0
    for (const [resource, candidates] of waiting.slice(0, visit.maxRequests)) {
      try {
        const listings = await fetchRequirements(host, candidates, readAt)
        failures = 0
        if (!listings) continue
        queried.push(resource)
        found.push(...listings.filter(({ payTo }) => payees.has(payTo)))
      } catch (error) {
        signal.throwIfAborted()
        failures += 1
        // One endpoint may be broken; a host with consecutive failures is down.
        if (error instanceof RestingHost || failures === MAX_FAILURES) throw error
      }
    }
  } finally {
    // Keep what was read before the host asked for a pause.
    await storeFound(visit, queried, found)
  }
  const isComplete = waiting.length <= visit.maxRequests
  if (isComplete) await documents.rememberValidators()
  return { isComplete }
}

/** The resources to query, with everything known about each, least recently queried first. */
async function orderByAge(
  { state, origin }: Visit,
  candidates: readonly Candidate[],
): Promise<readonly (readonly [string, readonly Candidate[]])[]> {
  const host = new URL(origin).host
  const rows = await state.db
    .selectFrom('report_listings')
    .select(['source', 'resource', 'operation', 'description', 'seen_at'])
    .where('host', '=', host)
    .execute()
  const ofOrigin = rows.filter(({ resource }) => new URL(resource).origin === origin)
  const stated = new Set(
    ofOrigin.filter(({ source }) => source.startsWith(`${origin}/`)).map((row) => row.resource),
  )
  const known = ofOrigin.filter(({ resource }) => !stated.has(resource))
  const queriedAt = new Map(
    known.filter((row) => row.source === origin).map((row) => [row.resource, row.seen_at]),
  )
  const byResource = Map.groupBy([...candidates, ...known], ({ resource }) => resource)
  return [...byResource]
    .map(([resource, all]) => [resource, preferWithMethod(all)] as const)
    .sort(([a], [b]) => (queriedAt.get(a) ?? 0) - (queriedAt.get(b) ?? 0))
}

/** One candidate per method; one without a method only if no other has one. */
function preferWithMethod(all: readonly Candidate[]): readonly Candidate[] {
  const byOperation = new Map(all.toReversed().map((each) => [each.operation, each]))
  if (byOperation.size > 1) byOperation.delete('')
  return [...byOperation.values()]
}

async function storeFound(
  visit: Visit,
  queried: readonly string[],
  found: readonly Listing[],
): Promise<void> {
  const { state, origin, readAt, retainMissingMs } = visit
  if (queried.length > 0) {
    await state.db
      .deleteFrom('report_listings')
      .where('source', '=', origin)
      .where('resource', 'in', queried)
      .execute()
  }
  const byKey = new Map(
    found.map((each) => [JSON.stringify([each.payTo, each.resource, each.operation]), each]),
  )
  await replaceListings(state, origin, { listings: [...byKey.values()], readAt, retainMissingMs })
}
