import { parseUsd, toExactUsdNumber } from '@tollbook/chain/usdc'
import type { Endpoint } from '../endpoint.ts'
import { listOffered } from '../routes/read-availability.ts'
import { resourceUrlOf, type Service } from '../service.ts'

/** An endpoint as merchant reports list it (specification 2.5). */
export type ListingRecord = {
  readonly resource: string
  /** Price per call in dollars, exact up to six decimals; 0 for a free endpoint. */
  readonly price_usd: number
  /** At most 240 characters. */
  readonly description: string
}

/** The endpoints that a service offers, cheapest first, as in its listing in a merchant report. */
export function buildListing(service: Service): readonly ListingRecord[] {
  return listOffered(service)
    .map((endpoint) => ({
      resource: resourceUrlOf(service, endpoint),
      price_usd: toExactUsdNumber(parseUsd(listingPrice(endpoint))),
      description: endpoint.description,
    }))
    .sort((a, b) => a.price_usd - b.price_usd)
}

/** The listing price as decimal text, such as `0.002237`; `0` for a free endpoint. */
export function listingPrice({ pricing }: Endpoint): string {
  return pricing.kind === 'free' ? '0' : pricing.priceUsd
}
