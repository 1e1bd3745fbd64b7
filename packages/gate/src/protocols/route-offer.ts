import { createEchoes, type Echo } from '../authorization/echoes.ts'
import type { KeyedHash } from '../calls/keyed-hash.ts'
import {
  buildChallenge,
  type Challenge,
  encodePaymentRequired,
  type FullPaymentRequired,
} from '../challenge/payment-required.ts'
import { buildRequirementsV1 } from '../challenge/version-one.ts'
import type { OfferedRoute } from '../contract/offered-route.ts'
import { OFFER_RECEIPT, type SignedOffer, toOffersExtension } from '../contract/signed-offers.ts'
import { buildPaymentTerms, isPaidByMpp, type SellerTerms } from '../contract/terms.ts'
import { createMppOffer, type MppOffer, measureMppHeader } from './mpp-offer.ts'

/** What one endpoint is sold for, prepared for each protocol: the same for all of its calls. */
export type RouteOffer = Challenge & {
  /** The parts of the version 2 challenge that payments echo. */
  readonly echoes: readonly Echo[]
  /** The terms of version 1, as members of a JSON body, with all of what the header of version 2 may omit. */
  readonly versionOne: string
  /** Null if the endpoint cannot be paid by MPP: metered ones have no fixed price. */
  readonly mpp: MppOffer | null
}

/**
 * @param route `signInBytes`: of the extension that each 402 of the endpoint has in addition.
 * @throws RangeError as `buildChallenge`.
 */
export function createRouteOffer(
  offered: OfferedRoute,
  route: { readonly seller: SellerTerms; readonly keyedHash: KeyedHash; readonly signInBytes: number },
): RouteOffer {
  const { service, endpoint } = offered
  const { seller, keyedHash, signInBytes } = route
  const exact = buildPaymentTerms(endpoint, seller).find(({ scheme }) => scheme === 'exact')
  const mpp = exact && isPaidByMpp(endpoint) ? createMppOffer(exact, { service, endpoint, keyedHash }) : null
  const headerBytes = mpp ? measureMppHeader(mpp) : 0
  const challenge = buildChallenge(offered, seller, { headerBytes, signInBytes })
  return {
    ...challenge,
    echoes: createEchoes(challenge.paymentRequired),
    versionOne: writeVersionOne(challenge.full),
    mpp,
  }
}

/** The offer with an extension in the header of its 402 answers. */
export function withExtension(offer: RouteOffer, name: string, content: object): RouteOffer {
  const { extensions, ...others } = offer.paymentRequired
  const paymentRequired = { ...others, extensions: { ...extensions, [name]: content } }
  return { ...offer, paymentRequired, header: encodePaymentRequired(paymentRequired) }
}

/** The offer with its signed offers: those that fit in the header, and all of them in bodies. */
export function withOffers(offer: RouteOffer, signed: readonly SignedOffer[]): RouteOffer {
  const { full, headerOffers } = offer
  const inHeader = toOffersExtension(signed.slice(0, headerOffers))
  return {
    ...(headerOffers > 0 ? withExtension(offer, OFFER_RECEIPT, inHeader) : offer),
    versionOne: writeVersionOne(full, { [OFFER_RECEIPT]: toOffersExtension(signed) }),
  }
}

/** Its extensions are those that somebody reads who does not pay (specs/extensions, x402 version 1). */
function writeVersionOne(full: FullPaymentRequired, further: Readonly<Record<string, unknown>> = {}): string {
  const { bazaar } = full.extensions
  const members = {
    x402Version: 1,
    accepts: buildRequirementsV1(full),
    extensions: { bazaar, ...further },
  }
  return JSON.stringify(members).slice(1, -1)
}
