import type { Address } from '@tollbook/chain/hex'
import type { EndpointHealth, HealthState } from '@tollbook/verify/listings/health'
import type { State } from '../state/state.ts'
import type { Listing, SourcedListing } from './listing.ts'

/** Rows per statement: 10 columns each stay far below SQLite's 32,766 parameters. */
const ROWS_PER_INSERT = 1000
/** Between the schemes of a listing; no scheme contains it. */
const SEPARATOR = ','

export type Replacement = {
  readonly listings: readonly Listing[]
  readonly readAt: Date
  /** How long a listing that the source no longer shows is retained, ms; default 0. */
  readonly retainMissingMs?: number
}

export async function replaceListings(state: State, source: string, replacement: Replacement): Promise<void> {
  const { listings, readAt, retainMissingMs = 0 } = replacement
  const rows = listings.map((listing) => ({
    source,
    resource: listing.resource,
    operation: listing.operation,
    host: listing.host,
    pay_to: listing.payTo,
    price: Number(listing.price),
    schemes: listing.schemes.join(SEPARATOR),
    description: listing.description,
    last_seen: listing.lastSeen.getTime(),
    seen_at: readAt.getTime(),
  }))
  const success = {
    collected_at: readAt.getTime(),
    failed_at: null,
    failure: null,
    // Until its validators are stored, a document is requested in full.
    etag: null,
    modified: null,
  }
  await state.db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('report_listing_sources')
      .values({ source, ...success })
      .onConflict((conflict) => conflict.column('source').doUpdateSet(success))
      .execute()
    const old = transaction.deleteFrom('report_listings').where('source', '=', source)
    await (retainMissingMs > 0
      ? old.where('seen_at', '<', readAt.getTime() - retainMissingMs)
      : old
    ).execute()
    for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
      await transaction
        .insertInto('report_listings')
        .values(rows.slice(at, at + ROWS_PER_INSERT))
        .onConflict((conflict) =>
          conflict.columns(['source', 'pay_to', 'resource', 'operation']).doUpdateSet((row) => ({
            price: row.ref('excluded.price'),
            schemes: row.ref('excluded.schemes'),
            description: row.ref('excluded.description'),
            last_seen: row.ref('excluded.last_seen'),
            seen_at: row.ref('excluded.seen_at'),
          })),
        )
        .execute()
    }
  })
}

/** Records that a source is unchanged since it was read: all of its listings count as seen. */
export async function confirmListings(state: State, source: string, readAt: Date): Promise<void> {
  const at = readAt.getTime()
  await state.db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('report_listing_sources')
      .set({ collected_at: at, failed_at: null, failure: null })
      .where('source', '=', source)
      .execute()
    await transaction
      .updateTable('report_listings')
      .set({ seen_at: at, last_seen: at })
      .where('source', '=', source)
      .execute()
  })
}

/** Records that a source could not be read; its listings stay as they are. */
export async function noteFailure(
  state: State,
  source: string,
  failure: { readonly reason: string; readonly at: Date },
): Promise<void> {
  const failed = { failed_at: failure.at.getTime(), failure: failure.reason }
  await state.db
    .insertInto('report_listing_sources')
    .values({ source, collected_at: null, etag: null, modified: null, ...failed })
    .onConflict((conflict) => conflict.column('source').doUpdateSet(failed))
    .execute()
}

/** Deletes listings and sources not seen since a time. @returns how many listings were deleted. */
export async function deleteUnseen(state: State, since: Date): Promise<number> {
  const at = since.getTime()
  return state.db.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('report_listings')
      .where('seen_at', '<', at)
      .executeTakeFirstOrThrow()
    await transaction.deleteFrom('report_endpoint_health').where('checked_at', '<', at).execute()
    await transaction
      .deleteFrom('report_listing_sources')
      .where('collected_at', '<', at)
      .where((row) => row.or([row('failed_at', 'is', null), row('failed_at', '<', at)]))
      .execute()
    return Number(numDeletedRows)
  })
}

/**
 * Every listing by payee, once: as on the merchant's own host, else as the source that saw it last. One
 * without a method is replaced by one of the same resource with a method.
 */
export async function listingsByPayTo(
  state: State,
): Promise<ReadonlyMap<Address, readonly SourcedListing[]>> {
  const rows = await selectListings(state)
    .selectAll('report_listings')
    .select(['health.state as health', 'health.since'])
    .orderBy('last_seen')
    .orderBy('source')
    .execute()
  const ordered = [...rows.filter((row) => !isOwnListing(row)), ...rows.filter(isOwnListing)]
  const grouped = new Map<Address, Map<string, SourcedListing>>()
  for (const row of ordered) {
    const payTo = row.pay_to as Address
    const own = grouped.get(payTo) ?? new Map<string, SourcedListing>()
    grouped.set(payTo, own)
    own.set(JSON.stringify([row.resource, row.operation]), {
      resource: row.resource,
      host: row.host,
      payTo,
      price: BigInt(row.price),
      schemes: row.schemes.split(SEPARATOR),
      description: row.description,
      operation: row.operation,
      lastSeen: new Date(row.last_seen),
      ...toHealth(row),
      source: row.source,
    })
  }
  return new Map([...grouped].map(([payTo, listings]) => [payTo, preferWithMethod([...listings.values()])]))
}

/** A payee of a resource, with a listed price, in micro-USDC. */
export type ListedOffer = Pick<Listing, 'payTo' | 'price' | 'health'>

/** More than an honest resource has. The payees beyond it are left out of the answer. */
const MAX_OFFERS = 100

/** What sources list for one resource, exactly as its URL is listed, each offer once. */
export async function readListedOffers(state: State, resource: string): Promise<readonly ListedOffer[]> {
  // No listed URL has it, and PostgreSQL accepts no text with it.
  if (resource.includes('\0')) return []
  const rows = await selectListings(state)
    .select(['report_listings.pay_to', 'price', 'health.state as health', 'health.since'])
    .distinct()
    .where('report_listings.resource', '=', resource)
    .orderBy('report_listings.pay_to')
    .orderBy('price')
    .limit(MAX_OFFERS)
    .execute()
  return rows.map((row) => ({ payTo: row.pay_to as Address, price: BigInt(row.price), ...toHealth(row) }))
}

/** Every listing with the health of its endpoint for its payee. */
export function selectListings({ db }: State) {
  return db
    .selectFrom('report_listings')
    .leftJoin('report_endpoint_health as health', (join) =>
      join
        .onRef('health.resource', '=', 'report_listings.resource')
        .onRef('health.pay_to', '=', 'report_listings.pay_to'),
    )
}

function toHealth(row: { readonly health: string | null; readonly since: number | null }): {
  readonly health?: EndpointHealth
} {
  if (row.health === null || row.since === null) return {}
  // Written by recordHealth.
  return { health: { state: row.health as HealthState, since: new Date(row.since) } }
}

/** Whether the source of a listing is the host that it describes. */
export function isOwnListing({ source, resource }: Pick<SourcedListing, 'source' | 'resource'>): boolean {
  const [origin] = /^https?:\/\/[^/?#]+/.exec(source) ?? []
  return origin !== undefined && resource.startsWith(`${origin}/`)
}

function preferWithMethod(listings: readonly SourcedListing[]): readonly SourcedListing[] {
  const withMethod = new Set(
    listings.filter(({ operation }) => operation !== '').map(({ resource }) => resource),
  )
  return listings.filter(({ operation, resource }) => operation !== '' || !withMethod.has(resource))
}

/** The payees of all listings: a settlement to one of them counts as a payment, regardless of the sender. */
export async function listedPayees(state: State): Promise<ReadonlySet<Address>> {
  const rows = await state.db.selectFrom('report_listings').select('pay_to').distinct().execute()
  return new Set(rows.map((row) => row.pay_to as Address))
}
