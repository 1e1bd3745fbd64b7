import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Listing } from './listing.ts'

/** The prices of a merchant's paid listings. */
export function listedPrices(listings: readonly Pick<Listing, 'price'>[]): ReadonlySet<AtomicUsdc> {
  return new Set(listings.map(({ price }) => price).filter((price) => price > 0n))
}

/** The prices of every merchant that has a paid listing. */
export function toListedPrices<Payee>(
  listings: Iterable<readonly [Payee, readonly Pick<Listing, 'price'>[]]>,
): ReadonlyMap<Payee, ReadonlySet<AtomicUsdc>> {
  const prices = [...listings].map(([payee, own]) => [payee, listedPrices(own)] as const)
  return new Map(prices.filter(([, own]) => own.size > 0))
}
