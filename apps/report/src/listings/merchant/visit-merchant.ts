import type { Address } from '@tollbook/chain/hex'
import type { HealthState } from '@tollbook/verify/listings/health'
import { isConcrete } from '@tollbook/verify/listings/merchant-listings'
import type { State } from '../../state/state.ts'
import { recordHealth } from '../endpoint-health.ts'
import type { Listing } from '../listing.ts'
import { isOwnListing, replaceListings, selectListings } from '../stored-listings.ts'
import { readChallenge } from './challenge.ts'
import { type HostReader, type HostReaderOptions, openHost, RestingHost } from './host-reader.ts'
import { judgeHealth, type UnpaidAnswer } from './judge-health.ts'
import { payeesListedElsewhere } from './merchant-hosts.ts'
import { readDocuments } from './read-documents.ts'
import type { Candidate } from './stated.ts'

export type Visit = HostReaderOptions & {
  readonly state: State
  /** Maximum number of resources that are queried for their 402 response. */
  readonly maxRequests: number
  /** How long listings are retained for a resource that could not be queried again, ms. */
  readonly retainMissingMs: number
  /** Whether endpoints whose terms are known are requested, too, and the health of each is recorded. */
  readonly checksHealth: boolean
  readonly readAt: Date
}

const MAX_FAILURES = 3
/** A resource is not queried more often, however often its host is visited. */
const QUERY_EVERY_MS = 86_400_000

/**
 * Reads a host's documents, then requests the resources in them and in catalogues, each at most once a day,
 * least recently queried first. @returns whether everything could be queried.
 * @throws RestingHost; Unreachable and other errors of the fetch when the host cannot be reached at all.
 */
export async function visitMerchant(visit: Visit): Promise<{ readonly isComplete: boolean }> {
  const { state, origin, readAt, signal } = visit
  const payees = await payeesListedElsewhere(state, origin)
  const host = await openHost(visit)
  const documents = await readDocuments({ state, origin, host, payees, readAt, signal })
  const waiting = await findDue(visit, documents.candidates)
  const found: Listing[] = []
  const queried: string[] = []
  try {
    let failures = 0
    for (const { resource, candidates, listed, isStated } of waiting.slice(0, visit.maxRequests)) {
      const note = async (judge: (one: ListedElsewhere) => HealthState) => {
        if (!visit.checksHealth || !isConcrete(resource)) return
        const checked = listed.map((one) => ({ resource, payTo: one.payTo, state: judge(one) }))
        await recordHealth(state, mergeStates(checked), readAt)
      }
      try {
        const answers = await fetchRequirements(host, candidates, readAt)
        failures = 0
        if (answers.length > 0) await note((one) => judgeHealth(answers, one, readAt))
        if (isStated || answers.every(({ answer }) => answer.status >= 500)) continue
        queried.push(resource)
        const listings = answers.flatMap((each) => each.listings)
        found.push(...listings.filter(({ payTo }) => payees.has(payTo)))
      } catch (error) {
        signal.throwIfAborted()
        failures += 1
        if (!(error instanceof RestingHost)) await note(() => 'unreachable')
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

type ListedElsewhere = Pick<Listing, 'payTo' | 'price'>

type Due = {
  readonly resource: string
  /** One per method. */
  readonly candidates: readonly Candidate[]
  /** As documents and catalogues list it, one per payee and method. */
  readonly listed: readonly ListedElsewhere[]
  /** Whether a document of the host states its terms, so that it is only checked. */
  readonly isStated: boolean
}

/** The resources to query, with everything known about each, least recently queried first. */
async function findDue(
  { state, origin, readAt, checksHealth }: Visit,
  candidates: readonly Candidate[],
): Promise<readonly Due[]> {
  const all = await selectListings(state)
    .select(['report_listings.resource', 'report_listings.pay_to', 'source', 'operation', 'price'])
    .select(['description', 'seen_at', 'health.checked_at'])
    .where('host', '=', new URL(origin).host)
    .orderBy('last_seen')
    .execute()
  const ofOrigin = all.filter(({ resource }) => new URL(resource).origin === origin)
  // The host's own documents take precedence over catalogues, as in a report.
  const rows = [...ofOrigin.filter((row) => !isOwnListing(row)), ...ofOrigin.filter(isOwnListing)]
  const listed = Map.groupBy(rows, ({ resource }) => resource)
  const unpriced = Map.groupBy(candidates, ({ resource }) => resource)
  const due = [...new Set([...unpriced.keys(), ...listed.keys()])].map((resource) => {
    const own = listed.get(resource) ?? []
    const withoutTerms = unpriced.get(resource) ?? []
    const elsewhere = own.filter(({ source }) => source !== origin)
    const queried = own.map((row) => Math.max(row.checked_at ?? 0, row.source === origin ? row.seen_at : 0))
    return {
      resource,
      candidates: preferWithMethod([...own, ...withoutTerms]),
      listed: [...Map.groupBy(elsewhere, ({ pay_to }) => pay_to).values()]
        .flatMap(preferWithMethod)
        .map(({ pay_to, price }) => ({ payTo: pay_to as Address, price: BigInt(price) })),
      isStated: withoutTerms.length === 0 && own.some(({ source }) => source.startsWith(`${origin}/`)),
      queriedAt: Math.max(0, ...queried),
    }
  })
  return due
    .filter(
      ({ isStated, queriedAt }) =>
        (checksHealth || !isStated) && queriedAt <= readAt.getTime() - QUERY_EVERY_MS,
    )
    .sort((a, b) => a.queriedAt - b.queriedAt)
}

/** The last of each method; one without a method only if no other has one. */
function preferWithMethod<Each extends Candidate>(all: readonly Each[]): readonly Each[] {
  const byOperation = new Map(all.map((each) => [each.operation, each]))
  if (byOperation.size > 1) byOperation.delete('')
  return [...byOperation.values()]
}

/** One state per payee: if one of its methods cannot be paid, that of the method. */
function mergeStates<Each extends { readonly payTo: Address; readonly state: HealthState }>(
  checked: readonly Each[],
): readonly Each[] {
  const byPayee = new Map<Address, Each>()
  for (const each of checked)
    if ((byPayee.get(each.payTo)?.state ?? 'payable') === 'payable') byPayee.set(each.payTo, each)
  return [...byPayee.values()]
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

/** A 402 response of version 1 contains schemas of input and output for each network. */
const CHALLENGE_BYTES = 512_000

/**
 * Requests a resource unpaid and reads its 402, by GET, HEAD or an empty POST: a seller answers before it
 * acts.
 * @param candidates everything known about one resource, one candidate per method.
 * @returns every answer; none if robots.txt disallows it. @throws RestingHost; what the fetch throws.
 */
async function fetchRequirements(
  host: HostReader,
  candidates: readonly Candidate[],
  readAt: Date,
): Promise<readonly UnpaidAnswer[]> {
  const found: UnpaidAnswer[] = []
  for (const candidate of candidates) {
    for (const method of methodsOf(candidate)) {
      const answer = await host.request(candidate.resource, {
        method,
        accept: 'application/json',
        maxBytes: CHALLENGE_BYTES,
        // A URL that redirects does not sell.
        maxRedirects: 0,
        ...(method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } }),
      })
      if (!answer) continue
      const listings = readChallenge(answer, candidate, readAt)
      found.push({ answer, listings })
      if (listings.length > 0) break
    }
  }
  return found
}

function methodsOf({ operation }: Candidate): readonly ('GET' | 'HEAD' | 'POST')[] {
  if (operation === 'GET' || operation === 'HEAD' || operation === 'POST') return [operation]
  // The tool name of an MCP listing is not a method either.
  return /^(PUT|PATCH|DELETE)$/.test(operation) ? [] : ['GET', 'POST']
}
