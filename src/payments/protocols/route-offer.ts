import { buildChallenge, type Challenge } from '../../catalogue/challenge/payment-required.ts'
import { buildRequirementsV1 } from '../../catalogue/challenge/version-one.ts'
import type { Endpoint } from '../../catalogue/endpoint.ts'
import type { Service } from '../../catalogue/service.ts'
import { isPaidByMpp, type SellerTerms } from '../../catalogue/terms.ts'
import { createEchoes, type Echo } from '../authorization/echoes.ts'
import type { KeyedHash } from '../ledger/keyed-hash.ts'
import { createMppOffer, type MppOffer } from './mpp-offer.ts'

/** What one endpoint is sold for, prepared for each protocol: the same for all of its calls. */
export type RouteOffer = Challenge & {
  /** The parts of the version 2 challenge that payments echo. */
  readonly echoes: readonly Echo[]
  /** The terms of version 1, as members of a JSON body. */
  readonly versionOne: string
  /** Null if the endpoint cannot be paid by MPP: metered ones have no fixed price. */
  readonly mpp: MppOffer | null
}

/** @throws RangeError as `buildChallenge`. */
export function createRouteOffer(
  endpoint: Endpoint,
  service: Service,
  { seller, keyedHash }: { readonly seller: SellerTerms; readonly keyedHash: KeyedHash },
): RouteOffer {
  const challenge = buildChallenge(endpoint, service, seller)
  const { paymentRequired } = challenge
  const exact = paymentRequired.accepts.find(({ scheme }) => scheme === 'exact')
  const versionOne = { x402Version: 1, accepts: buildRequirementsV1(paymentRequired) }
  return {
    ...challenge,
    echoes: createEchoes(paymentRequired),
    versionOne: JSON.stringify(versionOne).slice(1, -1),
    mpp: exact && isPaidByMpp(endpoint) ? createMppOffer(exact, { service, endpoint, keyedHash }) : null,
  }
}
