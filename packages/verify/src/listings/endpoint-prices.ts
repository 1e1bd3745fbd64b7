import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { isConcrete } from './merchant-listings.ts'
import type { StatedListing } from './stated-listing.ts'

/** Chosen: as many as a report shows listings; they are in a statement of the ledger. */
const MAX_PRICES = 1000

/**
 * The fixed prices that only one endpoint of a merchant has, ascending, with its URL: a payment of exactly this
 * amount was probably for it. A metered endpoint has none, and its maximum is no longer the price of another.
 */
export function toEndpointPrices(
  listings: readonly Pick<StatedListing, 'price' | 'schemes' | 'resource'>[],
): ReadonlyMap<AtomicUsdc, string> {
  const byPrice = Map.groupBy(listings, ({ price }) => price)
  const unique = [...byPrice].flatMap(([price, [first, ...others]]) => {
    const isUnique =
      price > 0n &&
      first !== undefined &&
      isConcrete(first.resource) &&
      [first, ...others].every(
        ({ schemes, resource }) => schemes[0] === 'exact' && resource === first.resource,
      )
    return isUnique ? [[price, first.resource] as const] : []
  })
  return new Map(unique.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, MAX_PRICES))
}
