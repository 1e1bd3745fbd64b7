import type { AtomicUsdc } from '../../money/usdc.ts'

/** One way to pay for an endpoint, in USDC on Base. */
export type Offer = {
  /** `exact`, `upto`, or a scheme that came later. */
  readonly scheme: string
  readonly price: AtomicUsdc
}

/**
 * The one of several ways to pay the same payee that a listing shows. Chosen: what a call costs at least. A fixed
 * price (`exact`) comes before the maximum of a metered scheme, the lower before the higher, the first of equal
 * ones; an amount of 0 stands for a free endpoint and counts only where nothing else is asked.
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
