import type { AtomicUsdc } from '../../money/usdc.ts'

/** One way to pay for an endpoint, in USDC on Base. */
export type Offer = {
  /** `exact`, `upto`, or a later scheme. */
  readonly scheme: string
  readonly price: AtomicUsdc
}

/**
 * Chooses the offer that a listing shows among several ways to pay the same payee. Chosen: the minimum cost
 * of a call. A fixed price (`exact`) is preferred to the maximum of a metered scheme, a lower price to a
 * higher one, and the first among equals. An amount of 0 means a free endpoint, and counts only if no offer
 * has another amount.
 */
export function chooseOffer<Each extends Offer>(offers: readonly Each[]): Each | null {
  const [best] = [...offers].sort(compareOffers)
  return best ?? null
}

function compareOffers(a: Offer, b: Offer): number {
  const [first, second] = [rank(a), rank(b)]
  if (first !== second) return first - second
  return a.price === b.price ? 0 : a.price < b.price ? -1 : 1
}

function rank({ scheme, price }: Offer): number {
  return (price === 0n ? 2 : 0) + (scheme === 'exact' ? 0 : 1)
}
