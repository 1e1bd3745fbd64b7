import type { AtomicUsdc } from '../../money/usdc.ts'

/** One way to pay for an endpoint, in USDC on Base. */
export type Offer = {
  /** `exact`, `upto`, or a later scheme. */
  readonly scheme: string
  readonly price: AtomicUsdc
}

/**
 * Chooses among ways to pay one payee by the minimum cost of a call: `exact` before metered schemes, lower
 * prices first, the first of equals. An amount of 0 means a free endpoint, and counts only without another
 * amount.
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
