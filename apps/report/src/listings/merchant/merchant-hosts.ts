import type { Address } from '@tollbook/chain/hex'
import { isPublicHost } from '@tollbook/safe-fetch/public-host'
import type { State } from '../../state/state.ts'
import { isOwnListing } from '../stored-listings.ts'

export type HostQuery = {
  /** The edition of reports whose paid merchants are visited. */
  readonly edition: string
  /** Origins that are never visited, such as the operator's own services, which already list everything. */
  readonly except: ReadonlySet<string>
  /** Whether hosts of the private network are visited, too. */
  readonly mayBePrivate: boolean
  readonly at: Date
  readonly max: number
}

/** Origins due for a visit that others list for paid merchants, highest amounts first. */
export async function dueOrigins(state: State, query: HostQuery): Promise<readonly string[]> {
  const listed = await state.db
    .selectFrom('report_listings')
    .innerJoin('reports', 'reports.address', 'report_listings.pay_to')
    .select(['report_listings.resource', 'report_listings.source'])
    .where('reports.edition', '=', query.edition)
    .where('reports.is_frozen', '=', 0)
    .orderBy('reports.amount', 'desc')
    .orderBy('report_listings.resource')
    .execute()
  const resting = await state.db
    .selectFrom('report_listing_hosts')
    .select('origin')
    .where('next_visit_at', '>', query.at.getTime())
    .execute()
  const excluded = new Set([...query.except, ...resting.map(({ origin }) => origin)])
  const urls = listed.filter((row) => !isOwnListing(row)).map(({ resource }) => new URL(resource))
  const mayVisit = (url: URL) => query.mayBePrivate || isPublicHost(url.hostname)
  const origins = new Set(urls.filter(mayVisit).map(({ origin }) => origin))
  return [...origins].filter((origin) => !excluded.has(origin)).slice(0, query.max)
}

/** The payees that another source lists for a host, which could name itself on any report otherwise. */
export async function payeesListedElsewhere(state: State, origin: string): Promise<ReadonlySet<Address>> {
  const rows = await state.db
    .selectFrom('report_listings')
    .select(['source', 'resource', 'pay_to'])
    .where('host', '=', new URL(origin).host)
    .execute()
  const listedElsewhere = rows.filter((row) => !isOwnListing(row) && new URL(row.resource).origin === origin)
  return new Set(listedElsewhere.map((row) => row.pay_to as Address))
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Chosen: prices rarely change within a day. */
const VISIT_EVERY_MS = DAY_MS
/** Resources that did not fit into one visit are queried in the next. */
const UNFINISHED_MS = HOUR_MS
/** Visits of hosts that were listed together spread over the day. */
const MAX_JITTER_MS = 2 * HOUR_MS
const MAX_REST_MS = 7 * DAY_MS

/** Records a successful visit, and when the next is due. @param jitter from 0 up to 1 */
export async function noteVisit(
  state: State,
  origin: string,
  { at, isComplete, jitter }: { readonly at: Date; readonly isComplete: boolean; readonly jitter: number },
): Promise<void> {
  const next =
    at.getTime() + (isComplete ? VISIT_EVERY_MS + Math.floor(jitter * MAX_JITTER_MS) : UNFINISHED_MS)
  const visited = { visited_at: at.getTime(), next_visit_at: next, failures: 0 }
  await state.db
    .insertInto('report_listing_hosts')
    .values({ origin, ...visited })
    .onConflict((conflict) => conflict.column('origin').doUpdateSet(visited))
    .execute()
}

/**
 * Records a failed visit: the next is due in an hour, doubling up to a week, and not before `rest` ms.
 * @returns the number of consecutive failures.
 */
export async function noteFailedVisit(
  state: State,
  origin: string,
  { at, restMs }: { readonly at: Date; readonly restMs: number },
): Promise<number> {
  const row = await state.db
    .selectFrom('report_listing_hosts')
    .select('failures')
    .where('origin', '=', origin)
    .executeTakeFirst()
  const failures = (row?.failures ?? 0) + 1
  const backOffMs = Math.min(HOUR_MS * 2 ** (failures - 1), MAX_REST_MS)
  const next = at.getTime() + Math.min(Math.max(backOffMs, restMs), MAX_REST_MS)
  const failed = { next_visit_at: next, failures }
  await state.db
    .insertInto('report_listing_hosts')
    .values({ origin, visited_at: null, ...failed })
    .onConflict((conflict) => conflict.column('origin').doUpdateSet(failed))
    .execute()
  return failures
}
