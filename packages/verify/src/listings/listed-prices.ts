import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { DEFAULT_FLOOR } from '../screen/counting-floor.ts'
import type { ListedPrices } from '../screen/screen.ts'
import { toEndpointPrices } from './endpoint-prices.ts'
import type { StatedListing } from './stated-listing.ts'

type Offer = Pick<StatedListing, 'price' | 'schemes' | 'resource'>

/**
 * What listings say about a merchant's payments; null without a paid one. A fixed price is the minimum; a
 * metered one is a maximum, so that payments may be as small as the default floor.
 * @param stated the highest price in the merchant's claim
 */
export function toListedPrices(listings: readonly Offer[], stated?: AtomicUsdc | null): ListedPrices | null {
  const paid = listings.filter(({ price }) => price > 0n)
  const [highest] = paid.map(({ price }) => price).sort(descending)
  const floor = paid.map(minPayment).sort(descending).at(-1)
  if (highest === undefined || floor === undefined) return null
  const unique = [...toEndpointPrices(paid).keys()]
  return { floor, highest, ...(stated && { stated }), unique }
}

/** The prices of every merchant that has a paid listing. @param stated the highest prices in claims */
export function toPricesByPayee<Payee>(
  listings: Iterable<readonly [Payee, readonly Offer[]]>,
  stated: ReadonlyMap<Payee, AtomicUsdc | null>,
): ReadonlyMap<Payee, ListedPrices> {
  const found = new Map<Payee, ListedPrices>()
  for (const [payee, own] of listings) {
    const prices = toListedPrices(own, stated.get(payee))
    if (prices) found.set(payee, prices)
  }
  return found
}

function minPayment({ price, schemes }: Omit<Offer, 'resource'>): bigint {
  const isFixed = schemes.every((scheme) => scheme === 'exact')
  return isFixed || price < DEFAULT_FLOOR ? price : DEFAULT_FLOOR
}

function descending(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? 1 : -1
}
