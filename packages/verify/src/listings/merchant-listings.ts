import type { Address } from '@tollbook/chain/hex'
import { toExactUsdNumber } from '@tollbook/chain/usdc'
import { cutText } from '@tollbook/flow/plain-text'
import type { EndpointHealth, HealthState } from './health.ts'
import type { StatedListing } from './stated-listing.ts'

/** Specification 2.5: cut to about 240 characters in the report. */
const DESCRIPTION_CHARACTERS = 240
/** Chosen: a report stays below a megabyte, even if somebody lists a page for every word under one payee. */
const MAX_RECORDS = 1000

/**
 * The host of most listings without `www.`, the first of equals; the address without any. Shown in its
 * `xn--` form, since letters of other scripts look alike, and with a port unless it is the scheme's default.
 */
export function nameOf(payTo: Address, listings: readonly StatedListing[]): string {
  const counts = new Map<string, number>()
  for (const { host } of listings) {
    const name = toName(host)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const [first] = [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
  return first?.[0] ?? payTo
}

/** The name of a host, without `www.` unless only a top-level domain would remain. */
export function toName(host: string): string {
  return host.replace(/^www\.(?=[^.:]+\.)/, '')
}

export type HealthRecord = { readonly state: HealthState; readonly since: string }

/** Health as documents state it, with an ISO 8601 time in whole seconds. */
export function toHealthRecord({ state, since }: EndpointHealth): HealthRecord {
  return { state, since: `${since.toISOString().slice(0, 19)}+00:00` }
}

/** As a report shows them (specification 2.5): each resource once at its lowest price, at most 1,000. */
export function toListingRecords(listings: readonly StatedListing[]) {
  const paid = listings.filter(({ price, resource }) => price > 0n && isConcrete(resource))
  const cheapest = new Map<string, StatedListing>()
  for (const listing of paid.sort(compareListings))
    if (!cheapest.has(listing.resource)) cheapest.set(listing.resource, listing)
  return [...cheapest.values()].slice(0, MAX_RECORDS).map((listing) => ({
    resource: listing.resource,
    price_usd: toExactUsdNumber(listing.price),
    description: cutText(listing.description, DESCRIPTION_CHARACTERS),
    ...(listing.health && { health: toHealthRecord(listing.health) }),
  }))
}

/** Whether a URL can be called as it is: it has no parameters in its path, as `/pad/:name` or `/pad/{name}`. */
export function isConcrete(resource: string): boolean {
  return !/\/:[^/]|\{|%7b/i.test(resource.replace(/^[a-z]+:\/\/[^/]*/, ''))
}

function compareListings(a: StatedListing, b: StatedListing): number {
  if (a.price !== b.price) return a.price < b.price ? -1 : 1
  if (a.resource !== b.resource) return a.resource < b.resource ? -1 : 1
  return a.operation < b.operation ? -1 : 1
}
