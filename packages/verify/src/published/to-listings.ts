import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { StatedListing } from '../listings/stated-listing.ts'
import type { ReportInputs } from './inputs.ts'

/** The listings that the inputs of a report state. */
export function toListings({ listings }: Pick<ReportInputs, 'listings'>): readonly StatedListing[] {
  return listings.map(({ price, schemes = ['exact'], health, ...listing }) => ({
    ...listing,
    price: BigInt(price),
    schemes,
    ...(health && { health: { ...health, since: new Date(health.since) } }),
  }))
}

/** The highest price in the claim of a report as its inputs state it. */
export function toMaxPrice({ max_price: price }: Pick<ReportInputs, 'max_price'>): AtomicUsdc | null {
  return price === undefined ? null : BigInt(price)
}
