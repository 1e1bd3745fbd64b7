import type { State } from '../../state/state.ts'
import type { Address } from '../chain/payment.ts'
import type { Listing } from './listing.ts'

/** Rows a statement: 8 columns each stay far below SQLite's 32,766 parameters. */
const ROWS_PER_INSERT = 1000

/** Puts what a source offers now in the place of what it offered before, all at once. */
export async function replaceListings(
  state: State,
  source: string,
  { listings, readAt }: { readonly listings: readonly Listing[]; readonly readAt: Date },
): Promise<void> {
  const rows = listings.map((listing) => ({
    source,
    resource: listing.resource,
    operation: listing.operation,
    host: listing.host,
    pay_to: listing.payTo,
    price: Number(listing.price),
    description: listing.description,
    last_seen: listing.lastSeen.getTime(),
  }))
  const success = { collected_at: readAt.getTime(), failed_at: null, failure: null }
  await state.db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('report_listing_sources')
      .values({ source, ...success })
      .onConflict((conflict) => conflict.column('source').doUpdateSet(success))
      .execute()
    await transaction.deleteFrom('report_listings').where('source', '=', source).execute()
    for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
      await transaction
        .insertInto('report_listings')
        .values(rows.slice(at, at + ROWS_PER_INSERT))
        .execute()
    }
  })
}

/** Notes that a source could not be read; its listings stay as they are. */
export async function noteFailure(
  state: State,
  source: string,
  failure: { readonly reason: string; readonly at: Date },
): Promise<void> {
  const failed = { failed_at: failure.at.getTime(), failure: failure.reason }
  await state.db
    .insertInto('report_listing_sources')
    .values({ source, collected_at: null, ...failed })
    .onConflict((conflict) => conflict.column('source').doUpdateSet(failed))
    .execute()
}

/** Every listing by payee. One that several sources have counts once, as the source that saw it last has it. */
export async function listingsByPayTo(state: State): Promise<ReadonlyMap<Address, readonly Listing[]>> {
  const rows = await state.db
    .selectFrom('report_listings')
    .selectAll()
    .orderBy('last_seen')
    .orderBy('source')
    .execute()
  const grouped = new Map<Address, Map<string, Listing>>()
  for (const row of rows) {
    const payTo = row.pay_to as Address
    const own = grouped.get(payTo) ?? new Map<string, Listing>()
    grouped.set(payTo, own)
    own.set(JSON.stringify([row.resource, row.operation]), {
      resource: row.resource,
      host: row.host,
      payTo,
      price: BigInt(row.price),
      description: row.description,
      operation: row.operation,
      lastSeen: new Date(row.last_seen),
    })
  }
  return new Map([...grouped].map(([payTo, listings]) => [payTo, [...listings.values()]]))
}

/** The payees of all listings: a settlement to one of them counts as a payment whoever sent it. */
export async function listedPayees(state: State): Promise<ReadonlySet<Address>> {
  const rows = await state.db.selectFrom('report_listings').select('pay_to').distinct().execute()
  return new Set(rows.map((row) => row.pay_to as Address))
}
